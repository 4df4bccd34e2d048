import type { ComponentType } from 'preact';

import { Accounts } from '../page/accounts/accounts.tsx';
import { Agents } from '../page/agents/agents.tsx';
import { Alarm } from '../page/alarm/alarm.tsx';
import { Alarms } from '../page/alarms/alarms.tsx';
import { Approvals } from '../page/approvals/approvals.tsx';
import { Changes } from '../page/changes/changes.tsx';
import { Chat } from '../page/chat/chat.tsx';
import { Connect } from '../page/connect/connect.tsx';
import { Connection } from '../page/connection/connection.tsx';
import { Device } from '../page/device/device.tsx';
import { Devices } from '../page/devices/devices.tsx';
import { Import } from '../page/import/import.tsx';
import { Models } from '../page/models/models.tsx';
import { NewDevice } from '../page/new-device/new-device.tsx';
import { Notifications } from '../page/notifications/notifications.tsx';
import { Overview } from '../page/overview/overview.tsx';
import { People } from '../page/people/people.tsx';
import { Person } from '../page/people/person.tsx';
import { Proposals } from '../page/proposals/proposals.tsx';
import { Review } from '../page/review/review.tsx';
import { Role } from '../page/roles/role.tsx';
import { Roles } from '../page/roles/roles.tsx';
import { Rule } from '../page/rules/rule.tsx';
import { Rules } from '../page/rules/rules.tsx';
import { Settings } from '../page/settings/settings.tsx';
import { Tenants } from '../page/tenants/tenants.tsx';
import type { Parameters } from '../route/route.ts';
import type { shellWords } from '../word/shell.ts';

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
    page: NewDevice,
    name: 'newDevice',
    isAside: true,
    needs: 'svc-center-manager:device:add',
  },
  {
    pattern: '/devices/import',
    page: Import,
    name: 'importDevices',
    isAside: true,
    needs: 'svc-center-manager:device:list',
  },
  { pattern: '/devices/:id', page: Device },
  {
    pattern: '/alarms',
    page: Alarms,
    name: 'alarms',
    needs: 'svc-center-data:dashboard:list',
  },
  { pattern: '/alarms/:id', page: Alarm },
  {
    pattern: '/rules',
    page: Rules,
    name: 'rules',
    isAside: true,
    needs: 'svc-center-data:rule:list',
  },
  {
    pattern: '/notifications',
    page: Notifications,
    name: 'notifications',
    isAside: true,
    needs: 'svc-center-data:notify:list',
  },
  { pattern: '/rules/new', page: Rule },
  { pattern: '/rules/:id', page: Rule },
  {
    pattern: '/proposals',
    page: Proposals,
    name: 'proposals',
    needs: 'svc-center-agentic:action:get',
  },
  {
    pattern: '/approvals',
    page: Approvals,
    name: 'approvals',
    needs: 'svc-center-agentic:approval:list',
  },
  { pattern: '/chat', page: Chat, name: 'chat', needs: 'svc-center-agentic:chat:list' },
  { pattern: '/chat/:id', page: Chat, needs: 'svc-center-agentic:chat:list' },
  { pattern: '/agents', page: Agents, name: 'agents', needs: 'svc-center-auth:mcp:get' },
  { pattern: '/agents/connect', page: Connect, needs: 'svc-center-auth:mcp:get' },
  { pattern: '/agents/accounts', page: Accounts },
  { pattern: '/agents/connection/:id', page: Connection },
  {
    pattern: '/changes',
    page: Changes,
    name: 'changes',
    needs: 'svc-center-data:change:list',
  },
  { pattern: '/settings', page: Settings, name: 'settings' },
  {
    pattern: '/settings/people',
    page: People,
    name: 'people',
    isAside: true,
    needs: 'svc-center-auth:user:list',
  },
  { pattern: '/settings/people/:id', page: Person },
  {
    pattern: '/settings/roles',
    page: Roles,
    name: 'roles',
    isAside: true,
    needs: 'svc-center-auth:role:list',
  },
  { pattern: '/settings/roles/:id', page: Role },
  {
    pattern: '/settings/models',
    page: Models,
    name: 'models',
    isAside: true,
    needs: 'svc-center-agentic:provider:list',
  },
  { pattern: '/settings/tenants', page: Tenants },
  { pattern: '/review/:id', page: Review },
];
