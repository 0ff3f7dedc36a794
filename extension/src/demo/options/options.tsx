import { firstFull } from '../first-frames.tsx';
import { paint } from '../paint.tsx';

void paint(firstFull());
