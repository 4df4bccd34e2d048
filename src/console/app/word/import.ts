import { words } from './words.ts';

export const importWords = words({
  en: {
    which: 'Which devices',
    lead: 'All devices of a table have one driver and one profile. The template has the right columns.',
    template: 'Download the template',
    export: 'Export these devices',
    format:
      'Tables are CSV files (separated by commas, semicolons or tabs) or workbooks (XLSX, the first sheet), up to 5,000 rows.',
    file: 'The table',
    fileLabel: 'CSV or XLSX file',
    unread: 'This workbook cannot be read. Save the table as CSV (UTF-8) and choose that.',
    notUnicode:
      'The table is not UTF-8. It was read as chosen here: check its names below, and choose another one where they are wrong.',
    encoding: 'Encoding of the table',
    encodings: {
      'windows-1252': 'Western Europe (Windows-1252)',
      'windows-1250': 'Central Europe (Windows-1250)',
      'windows-1251': 'Cyrillic (Windows-1251)',
      gb18030: 'Chinese (GBK, GB18030)',
    },
    make: (groups: number, labels: number) =>
      `Make what is missing: ${[
        ...(groups > 0 ? [groups === 1 ? '1 group' : `${groups} groups`] : []),
        ...(labels > 0 ? [labels === 1 ? '1 label' : `${labels} labels`] : []),
      ].join(' and ')}`,
    missingGroups: 'Groups that do not exist',
    missingLabels: 'Labels that do not exist',
    looking: 'Looking at each row; nothing is changed.',
    run: 'Import it',
    nothing: 'No row would add or change anything.',
    runMeans: (refused: number) =>
      refused === 0
        ? 'Nothing is changed before you press.'
        : `${refused} refused rows are left out, the others are imported.`,
    rows: 'Rows',
    row: (n: number) => `Row ${n}`,
    first: (n: number) => `The first ${n} are shown.`,
    verdict: {
      ADD: 'would be added',
      CHANGE: 'would be changed',
      UNCHANGED: 'the same already',
      REFUSED: 'refused',
    },
    ended: { ADD: 'Added', CHANGE: 'Changed', UNCHANGED: 'The same already', REFUSED: 'Refused' },
    progress: 'This import',
    done: (n: number, of: number) => `${n} of ${of} rows`,
    status: { RUNNING: 'under way', DONE: 'done', CANCELLED: 'stopped', FAILED: 'failed' },
    cancel: 'Stop the import',
    report: 'Download the refused rows',
    earlier: 'Imports so far',
    none: 'Nothing was imported yet.',
    of: (n: number) => (n === 1 ? '1 row' : `${n} rows`),
  },
  zh: {
    which: '哪些设备',
    lead: '一个表格中的设备使用同一驱动和同一模板。下载的模板包含正确的列。',
    template: '下载表格模板',
    export: '导出这些设备',
    format:
      '表格为 CSV 文件（以逗号、分号或制表符分隔）或工作簿（XLSX 的第一个工作表），最多 5,000 行。',
    file: '表格',
    fileLabel: 'CSV 或 XLSX 文件',
    unread: '无法读取该工作簿。请将表格另存为 CSV（UTF-8）后再选择。',
    notUnicode: '该表格不是 UTF-8。已按此处所选编码读取：请检查下方的名称，如有乱码请改选。',
    encoding: '表格编码',
    encodings: {
      'windows-1252': '西欧（Windows-1252）',
      'windows-1250': '中欧（Windows-1250）',
      'windows-1251': '西里尔（Windows-1251）',
      gb18030: '中文（GBK、GB18030）',
    },
    make: (groups, labels) =>
      `创建缺少的${[
        ...(groups > 0 ? [`分组（${groups}）`] : []),
        ...(labels > 0 ? [`标签（${labels}）`] : []),
      ].join('和')}`,
    missingGroups: '不存在的分组',
    missingLabels: '不存在的标签',
    looking: '正在检查每一行；不会做任何更改。',
    run: '导入',
    nothing: '没有任何行会新增或更改内容。',
    runMeans: (refused) =>
      refused === 0
        ? '按下之前不会更改任何内容。'
        : `将跳过 ${refused} 行被拒绝的数据，其余会导入。`,
    rows: '行数',
    row: (n) => `第 ${n} 行`,
    first: (n) => `显示前 ${n} 条。`,
    verdict: { ADD: '将新增', CHANGE: '将更改', UNCHANGED: '已相同', REFUSED: '被拒绝' },
    ended: { ADD: '已新增', CHANGE: '已更改', UNCHANGED: '已相同', REFUSED: '被拒绝' },
    progress: '本次导入',
    done: (n, of) => `${n} / ${of} 行`,
    status: { RUNNING: '进行中', DONE: '已完成', CANCELLED: '已停止', FAILED: '失败' },
    cancel: '停止导入',
    report: '下载被拒绝的行',
    earlier: '以往导入',
    none: '还没有导入过。',
    of: (n) => `${n} 行`,
  },
});
