import { doorsIn } from './journeys/doors.ts';

doorsIn('firefox');
