import { it } from 'vitest';
import { findFirefox, WAYS_TO_FIREFOX } from '../tools/set-up/find-firefox.mjs';
import { journeyIn } from './journeys/journey.ts';

if (findFirefox(process.env) === undefined) it.skip(`runs in Firefox, too. ${WAYS_TO_FIREFOX}`);
else journeyIn('firefox');
