import { firstCompact } from '../first-frames.tsx';
import { paint } from '../paint.tsx';
import './popup.css';

void paint(firstCompact());
