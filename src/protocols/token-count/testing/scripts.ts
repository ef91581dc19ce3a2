/** A paragraph in each of several scripts, for counts and guesses to be held against the tokeniser. */
export const scripts = {
  English:
    'The harbour master keeps a ledger of every tide, and by the time the boats return in the evening he has written down what they brought, who paid for it, and how much was lost to the gulls. Nobody reads the ledger, but everybody trusts it.',
  German:
    'Der Hafenmeister führt ein Verzeichnis aller Gezeiten, und wenn die Boote am Abend zurückkehren, hat er aufgeschrieben, was sie brachten, wer dafür bezahlte und wie viel an die Möwen verloren ging.',
  Chinese:
    '港口的管理员每天都记录潮汐的时间，傍晚渔船回来的时候，他已经写下了它们带回了什么、谁付了钱，以及有多少被海鸥吃掉了。没有人阅读这本账簿，但是所有人都相信它。',
  Japanese:
    '港の管理人は毎日潮の満ち引きを記録している。夕方に船が戻ってくるころには、何を運んできたのか、誰が支払ったのか、そしてカモメにどれだけ取られたのかを書き終えている。',
  Korean:
    '항구 관리인은 매일 조수의 시간을 기록한다. 저녁에 배들이 돌아올 때쯤이면 그는 무엇을 가져왔는지, 누가 값을 치렀는지, 갈매기에게 얼마나 빼앗겼는지 이미 적어 두었다.',
  Russian:
    'Смотритель гавани ведёт журнал всех приливов, и к вечеру, когда лодки возвращаются, он уже записал, что они привезли, кто за это заплатил и сколько досталось чайкам. Никто не читает этот журнал, но все ему верят.',
  Arabic:
    'يحتفظ مدير الميناء بسجل لكل مد وجزر، وعندما تعود القوارب في المساء يكون قد كتب ما أحضرته ومن دفع ثمنه وكم ضاع للنوارس. لا أحد يقرأ السجل لكن الجميع يثق به.',
  Hindi:
    'बंदरगाह का प्रबंधक हर ज्वार का हिसाब रखता है, और शाम को जब नावें लौटती हैं तब तक वह लिख चुका होता है कि वे क्या लाईं, किसने भुगतान किया और कितना नुकसान हुआ।',
  digits:
    '3141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117067',
  'a table':
    '2024-01-05, 1204.55, 17\n2024-01-06, 980.10, 12\n2024-01-07, 1450.00, 21\n2024-01-08, 1,332.75, 19',
  code: 'export function readWait(header: string | null, nowMs: number): number | undefined {\n  if (header === null) return undefined;\n  const seconds = /^\\d+$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1000;\n  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, seconds)) : undefined;\n}',
  emoji: '🚢🌊⚓️🐟🎣🌅🚤🦀🐚🏖️⛵️🌙',
} as const;
