import { viewPage } from '../../src/console/view-page.ts';
import type { View } from '../../src/kernel/app/app.ts';

/** Views of tools (MCP Apps): a person sees in the program of the agent what the agent was answered. */
export const trendView: View = {
  uri: 'ui://svc/trend',
  name: 'trend-view',
  title: 'Trend',
  description: 'Draws the history of points.',
  page: () => viewPage('trend'),
};

export const alarmsView: View = {
  uri: 'ui://svc/alarms',
  name: 'alarms-view',
  title: 'Alarms',
  description: 'Lists alarms, page by page.',
  page: () => viewPage('alarms'),
};

export const proposalView: View = {
  uri: 'ui://svc/proposal',
  name: 'proposal-view',
  title: 'Proposal',
  description: 'Shows a proposed write and follows it to its receipt; it decides nothing.',
  page: () => viewPage('proposal'),
};
