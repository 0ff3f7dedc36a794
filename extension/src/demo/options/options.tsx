import { paint } from '../paint.tsx';
import { OptionsPage } from './options-page.tsx';

void paint(<OptionsPage />);
