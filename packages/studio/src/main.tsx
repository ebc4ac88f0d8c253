import './ui/tokens.css';
import './ui/base.css';
import './app/shell.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme } from './app/appearance.ts';

applyTheme();
const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
