import { neverWrongIn } from './journeys/never-wrong.ts';

neverWrongIn('chromium');
