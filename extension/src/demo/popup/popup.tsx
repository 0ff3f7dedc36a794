import { firstCompact } from '../first-compact.tsx';
import { paint } from '../paint.tsx';
import './popup.css';

void paint(firstCompact());
