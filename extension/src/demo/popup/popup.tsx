import { CompactPage } from '../compact-page.tsx';
import { paint } from '../paint.tsx';
import './popup.css';

void paint(<CompactPage />);
