/**
 * What a list has to ask, with the tenant ($1) in each statement: how many there are, and a page ($2 rows from
 * $3 on), its columns named as the answer names them.
 */
export type Statements = { count: string; page: string };

const enableFlag = (table: string): string =>
  `case ${table}enable_flag when 0 then 'ENABLE' else 'DISABLE' end as "enableFlag"`;

const stored = `id, tenant_id as "tenantId", ${enableFlag('')}, signature, version, remark,
  creator_id as "creatorId", creator_name as "creatorName", create_time as "createTime",
  operator_id as "operatorId", operator_name as "operatorName", operate_time as "operateTime"`;

const total = (entity: string): string =>
  `select sum(amount) as count from svc_tenant_total where tenant_id = $1 and entity = '${entity}'`;

const newestFirst = 'order by create_time desc, id desc limit $2 offset $3';

export const devices: Statements = {
  count: total('device'),
  page: `select ${stored}, device_name as "deviceName", device_code as "deviceCode",
    driver_id as "driverId", profile_id as "profileId", device_ext as "deviceExt"
    from svc_device where tenant_id = $1 ${newestFirst}`,
};

export const points: Statements = {
  count: total('point'),
  page: `select ${stored}, point_name as "pointName", point_code as "pointCode",
    case point_type_flag when 6 then 'DOUBLE' end as "pointTypeFlag",
    case rw_flag when 0 then 'READ_ONLY' end as "rwFlag", base_value as "baseValue", multiple,
    value_decimal as "valueDecimal", min_value as "minValue", max_value as "maxValue", deadband,
    unit, profile_id as "profileId", point_ext as "pointExt"
    from svc_point where tenant_id = $1 ${newestFirst}`,
};

const ofDevice = `from svc_device d
  join svc_point p on p.tenant_id = d.tenant_id and p.profile_id = d.profile_id
  join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
  left join svc_point_latest l
    on l.tenant_id = d.tenant_id and l.device_id = d.id and l.point_id = p.id
  where d.tenant_id = $1`;

/** Of one device: $2 of the count, $4 of the page. */
export const latest: Statements = {
  count: `select count(*) ${ofDevice} and d.id = $2`,
  page: `select d.tenant_id as "tenantId", d.id as "deviceId", d.device_name as "deviceName",
    d.driver_id as "driverId", p.id as "pointId", p.point_name as "pointName",
    p.point_code as "pointCode", case p.point_type_flag when 6 then 'DOUBLE' end as "pointTypeFlag",
    p.unit, l.raw_value as "rawValue", l.cal_value as "calValue", l.num_value as "numValue",
    l.create_time is not null as "hasLatestValue", case l.quality when 0 then 'GOOD' end as quality,
    l.create_time as "createTime", l.receive_time as "operateTime",
    l.claimed_time as "claimedTime", l.issue as "valueIssue",
    (v.driver_ext #>> '{registration,readIntervalMs}')::float8 / 1000 as "expectedIntervalS"
    ${ofDevice} and d.id = $4 order by p.id limit $2 offset $3`,
};
