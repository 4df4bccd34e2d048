import type { ComponentType } from 'preact';

import { Alarm } from '../page/alarm/alarm.tsx';
import { Alarms } from '../page/alarms/alarms.tsx';
import { Device } from '../page/device/device.tsx';
import { Devices } from '../page/devices/devices.tsx';
import { Overview } from '../page/overview/overview.tsx';
import { Proposals } from '../page/proposals/proposals.tsx';
import { Review } from '../page/review/review.tsx';
import type { Parameters } from '../route/route.ts';
import type { shellWords } from '../word/shell.ts';
import { later } from './later.tsx';

type Entry = {
  /** Below `/console`; `:name` is a part that becomes a property of the page. */
  pattern: string;
  page: ComponentType<Parameters>;
  /** Its name in the navigation; without one it is reached from other pages. */
  name?: keyof ReturnType<typeof shellWords>['pages'];
  /** Named in the palette alone, not in the navigation. */
  isAside?: true;
  /** The permission without which the navigation leaves it out. */
  needs?: string;
};

/** Every page, in the order of the navigation. */
export const pages: readonly Entry[] = [
  { pattern: '/', page: Overview, name: 'overview' },
  {
    pattern: '/devices',
    page: Devices,
    name: 'devices',
    needs: 'svc-center-manager:device:list',
  },
  {
    pattern: '/devices/new',
    page: later('NewDevice'),
    name: 'newDevice',
    isAside: true,
    needs: 'svc-center-manager:device:add',
  },
  {
    pattern: '/devices/import',
    page: later('Import'),
    name: 'importDevices',
    isAside: true,
    needs: 'svc-center-manager:device:list',
  },
  {
    pattern: '/devices/waiting',
    page: later('Waiting'),
    name: 'waiting',
    isAside: true,
    needs: 'svc-center-manager:device:list',
  },
  { pattern: '/devices/:id', page: Device },
  {
    pattern: '/firmware',
    page: later('Firmware'),
    name: 'firmware',
    isAside: true,
    needs: 'svc-center-manager:firmware:list',
  },
  {
    pattern: '/alarms',
    page: Alarms,
    name: 'alarms',
    needs: 'svc-center-data:dashboard:list',
  },
  { pattern: '/alarms/:id', page: Alarm },
  {
    pattern: '/rules',
    page: later('Rules'),
    name: 'rules',
    isAside: true,
    needs: 'svc-center-data:rule:list',
  },
  {
    pattern: '/notifications',
    page: later('Notifications'),
    name: 'notifications',
    isAside: true,
    needs: 'svc-center-data:notify:list',
  },
  { pattern: '/rules/new', page: later('Rule') },
  { pattern: '/rules/:id', page: later('Rule') },
  {
    pattern: '/proposals',
    page: Proposals,
    name: 'proposals',
    needs: 'svc-center-agentic:action:get',
  },
  {
    pattern: '/approvals',
    page: later('Approvals'),
    name: 'approvals',
    needs: 'svc-center-agentic:approval:list',
  },
  { pattern: '/chat', page: later('Chat'), name: 'chat', needs: 'svc-center-agentic:chat:list' },
  { pattern: '/chat/:id', page: later('Chat'), needs: 'svc-center-agentic:chat:list' },
  { pattern: '/agents', page: later('Agents'), name: 'agents', needs: 'svc-center-auth:mcp:get' },
  { pattern: '/agents/connect', page: later('Connect'), needs: 'svc-center-auth:mcp:get' },
  { pattern: '/agents/accounts', page: later('Accounts') },
  { pattern: '/agents/connection/:id', page: later('Connection') },
  {
    pattern: '/changes',
    page: later('Changes'),
    name: 'changes',
    needs: 'svc-center-data:change:list',
  },
  { pattern: '/settings', page: later('Settings'), name: 'settings' },
  {
    pattern: '/settings/people',
    page: later('People'),
    name: 'people',
    isAside: true,
    needs: 'svc-center-auth:user:list',
  },
  { pattern: '/settings/people/:id', page: later('Person') },
  {
    pattern: '/settings/roles',
    page: later('Roles'),
    name: 'roles',
    isAside: true,
    needs: 'svc-center-auth:role:list',
  },
  { pattern: '/settings/roles/:id', page: later('Role') },
  {
    pattern: '/settings/models',
    page: later('Models'),
    name: 'models',
    isAside: true,
    needs: 'svc-center-agentic:provider:list',
  },
  {
    pattern: '/settings/usage',
    page: later('Usage'),
    name: 'usage',
    isAside: true,
    needs: 'svc-center-agentic:usage:list',
  },
  { pattern: '/settings/tenants', page: later('Tenants') },
  { pattern: '/review/:id', page: Review },
];
