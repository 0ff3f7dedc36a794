import { firstFull } from '../first-frames.tsx';
import { paint } from '../paint.tsx';
import './options.css';

void paint(firstFull());
