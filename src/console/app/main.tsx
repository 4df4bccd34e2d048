import { render } from 'preact';

import { plantZone, startClock } from './client/clock.ts';
import { startLive } from './client/live.ts';
import { holder, restore, standing } from './client/session.ts';
import { startLazy } from './shell/lazy.tsx';
import { Shell } from './shell/shell.tsx';
import { startTheme } from './shell/theme.ts';

startTheme();
startClock();
startLive();
holder.subscribe((now) => {
  plantZone.value = now?.tenant.timezone ?? null;
});
if (standing.value.is === 'unknown') void restore();
const root = document.querySelector('#app');
if (root) render(<Shell />, root);
// After the first frame.
requestAnimationFrame(() => setTimeout(() => void startLazy()));
