import { language } from '../word/words.ts';

type Row<P> = {
  /** Below `/console`; `:name` is a part that becomes a property of the page. */
  pattern: string;
  page: P;
  title?: { en: string; zh: string };
  /** Where its title leads to it, beside links of other pages: both, or the palette alone. */
  group?: 'navigation' | 'palette';
  /** The permission without which its title is left out there. */
  needs?: string;
};

const rows = [
  { pattern: '/', page: 'Overview', title: { en: 'Overview', zh: '总览' }, group: 'navigation' },
  {
    pattern: '/devices',
    page: 'Devices',
    title: { en: 'Devices', zh: '设备' },
    group: 'navigation',
    needs: 'svc-center-manager:device:list',
  },
  {
    pattern: '/devices/new',
    page: 'NewDevice',
    title: { en: 'Add a device', zh: '添加设备' },
    group: 'palette',
    needs: 'svc-center-manager:device:add',
  },
  {
    pattern: '/devices/import',
    page: 'Import',
    title: { en: 'Import devices', zh: '导入设备' },
    group: 'palette',
    needs: 'svc-center-manager:device:list',
  },
  {
    pattern: '/devices/waiting',
    page: 'Waiting',
    title: { en: 'Waiting endpoints', zh: '等待的端点' },
    group: 'palette',
    needs: 'svc-center-manager:device:list',
  },
  { pattern: '/devices/:id', page: 'Device' },
  { pattern: '/devices/:id/edit', page: 'EditDevice' },
  { pattern: '/devices/:id/trace', page: 'DeviceTrace' },
  {
    pattern: '/groups',
    page: 'Groups',
    title: { en: 'Groups and labels', zh: '分组和标签' },
    group: 'palette',
    needs: 'svc-center-manager:group:list',
  },
  {
    pattern: '/profiles',
    page: 'Profiles',
    title: { en: 'Profiles', zh: '模板' },
    group: 'palette',
    needs: 'svc-center-manager:profile:list',
  },
  { pattern: '/profiles/:id', page: 'Profile' },
  {
    pattern: '/drivers',
    page: 'Drivers',
    title: { en: 'Drivers', zh: '驱动' },
    group: 'palette',
    needs: 'svc-center-manager:driver:list',
  },
  {
    pattern: '/firmware',
    page: 'Firmware',
    title: { en: 'Firmware', zh: '固件' },
    group: 'palette',
    needs: 'svc-center-manager:firmware:list',
  },
  {
    pattern: '/manuals',
    page: 'Manuals',
    title: { en: 'Manuals', zh: '手册' },
    group: 'palette',
    needs: 'svc-center-agentic:manual:list',
  },
  { pattern: '/manuals/:id', page: 'Manual' },
  {
    pattern: '/alarms',
    page: 'Alarms',
    title: { en: 'Alarms', zh: '告警' },
    group: 'navigation',
    needs: 'svc-center-data:dashboard:list',
  },
  {
    pattern: '/alarms/performance',
    page: 'Performance',
    title: { en: 'Alarm performance', zh: '告警绩效' },
    group: 'palette',
    needs: 'svc-center-data:dashboard:get',
  },
  { pattern: '/alarms/:id', page: 'Alarm' },
  {
    pattern: '/wall',
    page: 'Wall',
    title: { en: 'Alarm wall', zh: '告警大屏' },
    group: 'navigation',
    needs: 'svc-center-data:dashboard:list',
  },
  {
    pattern: '/maintenance',
    page: 'Maintenance',
    title: { en: 'Maintenance', zh: '维护' },
    group: 'palette',
    needs: 'svc-center-data:maintenance:list',
  },
  {
    pattern: '/retention',
    page: 'Retention',
    title: { en: 'Retention of values', zh: '数值保留' },
    group: 'palette',
    needs: 'svc-center-data:retention_class:list',
  },
  {
    pattern: '/rules',
    page: 'Rules',
    title: { en: 'Alarm rules', zh: '告警规则' },
    group: 'palette',
    needs: 'svc-center-data:rule:list',
  },
  {
    pattern: '/notifications',
    page: 'Notifications',
    title: { en: 'Notifications', zh: '通知' },
    group: 'palette',
    needs: 'svc-center-data:notify:list',
  },
  { pattern: '/rules/new', page: 'Rule' },
  { pattern: '/rules/:id', page: 'Rule' },
  {
    pattern: '/proposals',
    page: 'Proposals',
    title: { en: 'Proposals', zh: '提议' },
    group: 'navigation',
    needs: 'svc-center-agentic:action:get',
  },
  {
    pattern: '/approvals',
    page: 'Approvals',
    title: { en: 'Standing approvals', zh: '预先批准' },
    group: 'navigation',
    needs: 'svc-center-agentic:approval:list',
  },
  {
    pattern: '/chat',
    page: 'Chat',
    title: { en: 'Chat', zh: '对话' },
    group: 'navigation',
    needs: 'svc-center-agentic:chat:list',
  },
  { pattern: '/chat/:id', page: 'Chat', needs: 'svc-center-agentic:chat:list' },
  {
    pattern: '/agents',
    page: 'Agents',
    title: { en: 'Agents', zh: '智能体' },
    group: 'navigation',
    needs: 'svc-center-auth:mcp:get',
  },
  { pattern: '/agents/connect', page: 'Connect', needs: 'svc-center-auth:mcp:get' },
  { pattern: '/agents/accounts', page: 'Accounts' },
  { pattern: '/agents/connection/:id', page: 'Connection' },
  {
    pattern: '/changes',
    page: 'Changes',
    title: { en: 'Changes', zh: '变更' },
    group: 'navigation',
    needs: 'svc-center-data:change:list',
  },
  {
    pattern: '/settings',
    page: 'Settings',
    title: { en: 'Settings', zh: '设置' },
    group: 'navigation',
  },
  {
    pattern: '/settings/people',
    page: 'People',
    title: { en: 'People', zh: '人员' },
    group: 'palette',
    needs: 'svc-center-auth:user:list',
  },
  { pattern: '/settings/people/:id', page: 'Person' },
  {
    pattern: '/settings/roles',
    page: 'Roles',
    title: { en: 'Roles', zh: '角色' },
    group: 'palette',
    needs: 'svc-center-auth:role:list',
  },
  { pattern: '/settings/roles/:id', page: 'Role' },
  {
    pattern: '/settings/models',
    page: 'Models',
    title: { en: 'Models', zh: '模型' },
    group: 'palette',
    needs: 'svc-center-agentic:provider:list',
  },
  {
    pattern: '/settings/usage',
    page: 'Usage',
    title: { en: 'Usage', zh: '用量' },
    group: 'palette',
    needs: 'svc-center-agentic:usage:list',
  },
  {
    pattern: '/settings/tenants',
    page: 'Tenants',
    title: { en: 'Tenants', zh: '租户' },
    needs: 'svc-center-auth:tenant:list',
  },
  { pattern: '/review/:id', page: 'Review' },
  { pattern: '/kit', page: 'Kit' },
] as const satisfies readonly Row<string>[];

type Entry = (typeof rows)[number];
export type PageName = Entry['page'];

/** Every page, in the order of the navigation. */
export const pages: readonly Row<PageName>[] = rows;

/** The title of a page in the language of the screens. */
export const titleIn = (title: { en: string; zh: string }): string => title[language.value];

export const titleOf = (pattern: Extract<Entry, { title: object }>['pattern']): string =>
  titleAt(pattern);

/** The title of the page at a path below `/console`; nothing where its row has none. */
export function titleAt(path: string): string {
  const own = path === '/' ? path : path.replace(/\/$/, '');
  const title = pages.find(({ pattern }) => pattern === own)?.title;
  return title ? titleIn(title) : '';
}
