import { render } from 'preact';

import { plantZone, startClock } from './client/clock.ts';
import { startLive } from './client/live.ts';
import { holder, restore, standing } from './client/session.ts';
import { startLazy } from './current-page.tsx';
import { startTheme } from './part/theme.tsx';
import { Shell } from './shell.tsx';

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
