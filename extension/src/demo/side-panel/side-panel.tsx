import { firstCompact } from '../first-compact.tsx';
import { paint } from '../paint.tsx';
import './side-panel.css';

void paint(firstCompact());
