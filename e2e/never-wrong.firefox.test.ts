import { neverWrongIn } from './journeys/never-wrong.ts';

neverWrongIn('firefox');
