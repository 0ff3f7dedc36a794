import { journeyIn } from './journeys/journey.ts';

journeyIn('chromium');
