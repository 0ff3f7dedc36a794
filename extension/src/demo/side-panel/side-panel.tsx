import { CompactPage } from '../compact-page.tsx';
import { paint } from '../paint.tsx';
import './side-panel.css';

void paint(<CompactPage />);
