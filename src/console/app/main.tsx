import { render } from 'preact';

import { startClock } from './client/clock.ts';
import { startLive } from './client/live.ts';
import { restore, standing } from './client/session.ts';
import { startLater } from './shell/later.tsx';
import { startLook } from './shell/look.ts';
import { Shell } from './shell/shell.tsx';

startLook();
startClock();
startLive();
if (standing.value.is === 'unknown') void restore();
const root = document.querySelector('#app');
if (root) render(<Shell />, root);
// After the first frame.
requestAnimationFrame(() => setTimeout(() => void startLater()));
