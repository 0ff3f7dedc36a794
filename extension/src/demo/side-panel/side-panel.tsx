import { firstCompact } from '../first-frames.tsx';
import { paint } from '../paint.tsx';
import './side-panel.css';

void paint(firstCompact());
