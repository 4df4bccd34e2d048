-- The menu of the web client: page code, route and icon name are that client's, titles are ours. A platform
-- administrator may change or delete the rows; a later start does not bring them back.
select set_config('svc.tenant_free', 'seed', true);

create temporary table menu_seed (
  code text, parent text, level smallint, position integer, icon text, url text, en text, zh text
) on commit drop;

insert into menu_seed values
  ('home', null, 1, 1, 'HomeFilled', '/home', 'Home', '首页'),
  ('driver', null, 1, 2, 'Promotion', '/driver', 'Drivers', '驱动'),
  ('profile', null, 1, 3, 'List', '/profile', 'Profiles', '模板'),
  ('device', null, 1, 4, 'Management', '/device', 'Devices', '设备'),
  ('pointValue', null, 1, 5, 'TrendCharts', '/point_value', 'Point values', '位号数据'),
  ('settings', null, 1, 6, 'Setting', '', 'Settings', '设置'),
  ('settingsIdentity', 'settings', 2, 1, 'User', '', 'Identity', '身份'),
  ('settingsUser', 'settingsIdentity', 3, 1, 'User', '/settings/user', 'Users', '用户'),
  ('settingsPrincipal', 'settingsIdentity', 3, 2, 'Avatar', '/settings/principal', 'Principals', '身份主体'),
  ('settingsTenantMembership', 'settingsIdentity', 3, 3, 'OfficeBuilding', '/settings/tenant_membership', 'Tenant members', '租户成员'),
  ('settingsLocalCredential', 'settingsIdentity', 3, 4, 'Lock', '/settings/local_credential', 'Credentials', '登录凭证'),
  ('settingsServiceAccount', 'settingsIdentity', 3, 5, 'Key', '/settings/service_account', 'Service accounts', '服务账号'),
  ('settingsAccess', 'settings', 2, 2, 'Stamp', '', 'Rights', '权限'),
  ('settingsRole', 'settingsAccess', 3, 1, 'Lock', '/settings/role', 'Roles', '角色'),
  ('settingsRolePrincipalBind', 'settingsAccess', 3, 2, 'Link', '/settings/role_principal_bind', 'Role assignments', '角色分配'),
  ('settingsResource', 'settingsAccess', 3, 3, 'Tickets', '/settings/resource', 'Permission codes', '权限资源'),
  ('settingsApi', 'settingsAccess', 3, 4, 'Connection', '/settings/api', 'Endpoints', '接口'),
  ('settingsMenu', 'settingsAccess', 3, 5, 'Discount', '/settings/menu', 'Menu', '菜单'),
  ('settingsSystem', 'settings', 2, 3, 'Collection', '', 'Metadata', '元数据'),
  ('settingsGroup', 'settingsSystem', 3, 1, 'Grid', '/settings/group', 'Groups', '分组'),
  ('settingsLabel', 'settingsSystem', 3, 2, 'CollectionTag', '/settings/label', 'Labels', '标签'),
  ('settingsModel', 'settings', 2, 4, 'Cpu', '', 'Models', '模型'),
  ('settingsModelProvider', 'settingsModel', 3, 1, 'ChatLineSquare', '/settings/model/provider', 'Model providers', '模型供应商'),
  ('settingsModelConfig', 'settingsModel', 3, 2, 'ChatDotRound', '/settings/model/config', 'Model settings', '模型配置'),
  ('settingsIntegration', 'settings', 2, 5, 'Share', '', 'MCP', 'MCP'),
  ('settingsMcpServer', 'settingsIntegration', 3, 1, 'Connection', '/settings/mcp', 'MCP server', 'MCP 服务'),
  ('settingsMcpClient', 'settingsIntegration', 3, 2, 'Ticket', '/settings/mcp/client', 'MCP clients', 'MCP 客户端'),
  ('settingsMcpConnection', 'settingsIntegration', 3, 3, 'Link', '/settings/mcp/connection', 'MCP connections', 'MCP 连接'),
  ('settingsMcpTool', 'settingsIntegration', 3, 4, 'Tools', '/settings/mcp/tool', 'MCP tools', 'MCP 工具'),
  ('settingsAlarm', 'settings', 2, 6, 'AlarmClock', '', 'Alarm settings', '告警配置'),
  ('settingsAlarmRule', 'settingsAlarm', 3, 1, 'SetUp', '/settings/alarm/rule', 'Rules', '告警规则'),
  ('settingsAlarmNotify', 'settingsAlarm', 3, 2, 'Bell', '/settings/alarm/notify', 'Notification policies', '通知策略'),
  ('settingsAlarmMessage', 'settingsAlarm', 3, 3, 'Message', '/settings/alarm/message', 'Message templates', '消息模板'),
  ('settingsAlarmChannel', 'settingsAlarm', 3, 4, 'Connection', '/settings/alarm/channel', 'Channels', '通知渠道'),
  ('settingsAlarmBind', 'settingsAlarm', 3, 5, 'Link', '/settings/alarm/bind', 'Channel bindings', '渠道绑定'),
  ('settingsEventCommand', 'settings', 2, 7, 'Operation', '', 'Operation', '运行'),
  ('settingsAlarmOverview', 'settingsEventCommand', 3, 1, 'DataAnalysis', '/settings/alarm/overview', 'Overview', '概览'),
  ('settingsAlarmState', 'settingsEventCommand', 3, 2, 'Monitor', '/settings/alarm/state', 'Rule states', '规则状态'),
  ('settingsAlarmHistory', 'settingsEventCommand', 3, 3, 'DocumentChecked', '/settings/alarm/history', 'Notification history', '通知历史'),
  ('settingsDriverAlarm', 'settingsEventCommand', 3, 4, 'Promotion', '/settings/alarm/driver', 'Driver alarms', '驱动告警'),
  ('settingsDeviceAlarm', 'settingsEventCommand', 3, 5, 'Management', '/settings/alarm/device', 'Device alarms', '设备告警'),
  ('settingsPointAlarm', 'settingsEventCommand', 3, 6, 'TrendCharts', '/settings/alarm/point', 'Point alarms', '位号告警'),
  ('settingsEventHistory', 'settingsEventCommand', 3, 7, 'Document', '/settings/event/history', 'Event history', '事件历史'),
  ('settingsCommandHistory', 'settingsEventCommand', 3, 8, 'Document', '/settings/command/history', 'Command history', '指令历史'),
  ('settingsAudit', 'settings', 2, 8, 'Files', '', 'Audit', '审计'),
  ('settingsIdentityAudit', 'settingsAudit', 3, 1, 'DocumentChecked', '/settings/identity_audit', 'Identity audit', '身份审计'),
  ('settingsMcpAudit', 'settingsAudit', 3, 2, 'Document', '/settings/mcp_audit', 'MCP audit', 'MCP 审计'),
  ('settingsAbout', 'settings', 2, 9, 'InfoFilled', '/settings/about', 'About', '关于');

-- Parents first: one level after the other, an installation's own rows stay as they are.
do $$
begin
  for depth in 1..3 loop
    insert into svc_menu (parent_menu_id, menu_type_flag, menu_name, menu_code, menu_level, menu_index, menu_ext)
    select coalesce(parent.id, 0), case when seed.url = '' then 0 else 1 end, seed.en, seed.code, seed.level,
      seed.position,
      jsonb_build_object('version', 1, 'content', jsonb_build_object(
        'titles', jsonb_build_object('en', seed.en, 'zh', seed.zh), 'icon', seed.icon, 'url', seed.url))
    from menu_seed seed left join svc_menu parent on parent.menu_code = seed.parent
    where seed.level = depth and (seed.parent is null or parent.id is not null)
    on conflict (menu_code) do nothing;
  end loop;
end $$;

select set_config('svc.tenant_free', '', true);
