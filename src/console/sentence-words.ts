/** How a card in Markdown begins; the pages of the console leave out what begins so. */
export const CARD_HEAD = '\n\n---\n**Waiting for confirmation**';

/** What a card says beside its facts, by code: each sentence once per language, for every way to see a card. */
export const cardTexts = {
  en: {
    ofWrite: 'Write {n}: {note}',
    changed: 'Changed since the card before: {changes}.',
    tainted: 'Tainted: before, its proposer read {texts} that could instruct it.',
    texts: { one: 'a text', several: '{n} texts', atLeast: 'at least {n} texts' },
    source: '{text} ({field}{of} in {tool}, {at})',
    sourceOf: ' of {of}',
    sameValue: {
      now: 'The point has this value already.',
      before: 'The point had this value already when this was proposed.',
    },
    otherWrite: {
      by: ' by {name}',
      now: {
        PROPOSED: 'Another proposal{by} for this point waits: {value} (action {id}).',
        UNDER_WAY: 'A write of {value}{by} to this point is under way ({id}).',
        UNKNOWN:
          'It is not known whether an earlier write of {value}{by} to this point happened ({id}).',
      },
      before: {
        PROPOSED:
          'Another proposal of {value}{by} to this point waited when this was proposed{since} ({id}).',
        UNDER_WAY:
          'A write of {value}{by} to this point was under way when this was proposed{since} ({id}).',
        UNKNOWN:
          'An earlier write of {value}{by} to this point was of unknown outcome when this was proposed{since} ({id}).',
      },
      since: '; {became}',
      became: {
        PROPOSED: 'it waits for a decision now',
        UNDER_WAY: 'it is under way now',
        UNKNOWN: 'it is not known whether it happened',
        EXECUTED: 'it is known now that it happened',
        MISMATCH: 'the device accepted it and holds another value',
        FAILED: 'it did not happen',
        REJECTED: 'it was rejected',
        EXPIRED: 'it expired',
        WITHDRAWN: 'it was withdrawn',
        NOT_SENT: 'it was not sent',
        NOT_KNOWN: 'what became of it is not known',
      },
    },
    rejectedBefore: {
      sentence: 'The same was rejected {at} by {by}{saying}.',
      saying: ', saying {why}',
    },
    firmware: {
      BYTES_UNKNOWN:
        'The devices fetch the package at {uri}; the platform does not know the bytes that they will get there.',
      IN_CLEAR: {
        one: '1 of the devices is not authenticated: whatever registers with the endpoint name gets the package.',
        several:
          '{n} of the devices are not authenticated: whatever registers with the endpoint name gets the package.',
      },
      MODELS_DIFFER: 'The devices are of different models: {models}{more}.',
      moreModels: ' and others',
    },
    leftOut: {
      NO_FIRMWARE_OBJECT: 'it has no firmware object (5), so its firmware cannot be updated',
      NEVER_CONNECTED: 'it never connected',
      SAME_VERSION: 'it runs {version} already',
      OTHER_MODEL: 'it is of the model {model}, and the package is for {wanted}',
      UPDATE_UNDER_WAY: 'another update of its firmware is under way',
      DISABLED: 'it is disabled',
    },
  },
  zh: {
    ofWrite: '写入 {n}：{note}',
    changed: '与之前的卡片相比有变化：{changes}。',
    tainted: '受污染：提议之前，提议者读取过{texts}可能影响它的文本。',
    texts: { one: ' 1 条', several: ' {n} 条', atLeast: '至少 {n} 条' },
    source: '{text}（{of}{field}，来自 {tool}，{at}）',
    sourceOf: '{of} 的 ',
    sameValue: { now: '该点位已是此数值。', before: '提议时该点位已是此数值。' },
    otherWrite: {
      by: '（{name}）',
      now: {
        PROPOSED: '该点位有另一个提议{by}在等待：{value}（操作 {id}）。',
        UNDER_WAY: '对该点位的写入 {value}{by} 正在执行（{id}）。',
        UNKNOWN: '不确定之前对该点位的写入 {value}{by} 是否已执行（{id}）。',
      },
      before: {
        PROPOSED: '提议时该点位有另一个提议 {value}{by} 在等待{since}（{id}）。',
        UNDER_WAY: '提议时对该点位的写入 {value}{by} 正在执行{since}（{id}）。',
        UNKNOWN: '提议时之前对该点位的写入 {value}{by} 结果未知{since}（{id}）。',
      },
      since: '；{became}',
      became: {
        PROPOSED: '现在正等待决定',
        UNDER_WAY: '现在正在执行',
        UNKNOWN: '不确定是否已执行',
        EXECUTED: '现已确定它已执行',
        MISMATCH: '设备已接受，但保持了其他数值',
        FAILED: '它未执行',
        REJECTED: '它已被拒绝',
        EXPIRED: '它已过期',
        WITHDRAWN: '它已被撤回',
        NOT_SENT: '它未发送',
        NOT_KNOWN: '其结果未知',
      },
    },
    rejectedBefore: {
      sentence: '相同的提议曾于 {at} 被 {by} 拒绝{saying}。',
      saying: '，理由：{why}',
    },
    firmware: {
      BYTES_UNKNOWN: '设备从 {uri} 下载固件包；平台不知道设备将从该地址获得的内容。',
      IN_CLEAR: {
        one: '1 台设备未经身份验证：任何以该端点名称注册的设备都会获得固件包。',
        several: '{n} 台设备未经身份验证：任何以该端点名称注册的设备都会获得固件包。',
      },
      MODELS_DIFFER: '这些设备的型号不同：{models}{more}。',
      moreModels: ' 等',
    },
    leftOut: {
      NO_FIRMWARE_OBJECT: '没有固件对象 (5)，无法更新固件',
      NEVER_CONNECTED: '从未连接',
      SAME_VERSION: '已运行 {version}',
      OTHER_MODEL: '型号为 {model}，而固件包适用于 {wanted}',
      UPDATE_UNDER_WAY: '正在进行另一次固件更新',
      DISABLED: '已停用',
    },
  },
} as const;
