/** What an entry of the audit trail tells beside its action, in words, dates and money as people read them. */
import type { ActivityEntry, AuditField, NamesOfThings } from '../../audit/index.ts';
import { readDataLock } from '../../base/data-policy.ts';
import { readNanoUsd } from '../../base/money.ts';
import { isMeter } from '../../catalogue/index.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { activityWords } from '../languages/activity/index.ts';
import { catalogueWords } from '../languages/catalogue/index.ts';
import { contactsWords } from '../languages/contacts/index.ts';
import { keysWords } from '../languages/keys/index.ts';
import { kindsWords } from '../languages/kinds/index.ts';
import { type Language, languageNames } from '../languages/language.ts';
import { webhooksWords } from '../languages/webhooks/index.ts';
import { priceLine } from '../model-list/prices.ts';
import type { Figures } from '../ui/figures.ts';

export interface FactWriting {
  readonly language: Language;
  readonly figures: Figures;
  readonly names: NamesOfThings;
  /** Those that people sign in with. */
  readonly providers: readonly Pick<IdentityProvider, 'name' | 'label'>[];
}

type Told = Pick<ActivityEntry, 'action' | 'details' | 'personal' | 'subjectKind' | 'subjectId'>;
/** Empty where there is nothing to tell. What is not as expected is written as it stands. */
type Write = (value: unknown) => string;

/** So many names of a list are told; more are counted. */
const mostNames = 6;

/** What it was done to, where that has a name, and then each of its details. */
export function tellFacts(entry: Told, writing: FactWriting): readonly string[] {
  const { personal, subjectKind, subjectId, details } = entry;
  const name = personal?.label ?? writing.names.get(`${subjectKind} ${subjectId}`);
  const words = activityWords[writing.language];
  const labels: Readonly<Record<string, string>> = words.fields;
  const writers: Readonly<Record<string, Write>> = writersFor(entry, writing);
  const told = Object.entries(details).map(([field, value]) => {
    const write = writers[field] ?? plain;
    const text = isChange(value)
      ? words.became(write(value.from) || words.nothing, write(value.to) || words.nothing)
      : write(value);
    const label = labels[field];
    return text === '' || text === label || label === undefined ? text : words.labelled(label, text);
  });
  return [name ?? '', ...told].filter((text) => text !== '');
}

const isChange = (value: unknown): value is { readonly from: unknown; readonly to: unknown } =>
  value !== null && typeof value === 'object' && 'from' in value && 'to' in value;

const plain: Write = (value) =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

function writersFor({ action, details }: Told, writing: FactWriting): Readonly<Record<AuditField, Write>> {
  const { language, figures, names, providers } = writing;
  const words = activityWords[language];
  const { form, list, periods } = keysWords[language];
  const { values } = words;
  const { on, off } = webhooksWords[language].states;
  const nothing: Write = () => '';
  const named =
    (known: Readonly<Record<string, string>>): Write =>
    (value) =>
      known[String(value)] ?? plain(value);
  const counted =
    (write: (number: number) => string): Write =>
    (value) =>
      typeof value === 'number' ? write(value) : plain(value);
  const moment =
    (never: string): Write =>
    (value) =>
      value === null ? never : writeMoment(value, figures);
  const thing =
    (kind: string): Write =>
    (value) =>
      value === null ? '' : (names.get(`${kind} ${String(value)}`) ?? values.gone);
  const listed =
    (every: string, none: string): Write =>
    (value) =>
      value === null ? every : writeList(value, { none, more: words.more });
  const limit: Write = (value) =>
    value === null ? values.noLimit : counted((number) => figures.count(number))(value);
  const period = named(periods);
  const isMoney = details.usd !== undefined;
  return {
    role: named(accountsWords[language].roles),
    status: named(words.statuses),
    language: (value) => (value === null ? '' : named(languageNames)(value)),
    method: (value) => writeMethod(String(value), { words, providers }),
    // Of prices it is a number of the house's own.
    version: (value) => (typeof value === 'string' ? values.termsOf(writeDay(value, figures)) : ''),
    provider: (value) => providers.find(({ name }) => name === value)?.label ?? plain(value),
    sessions: counted(values.sessions),
    departmentId: thing('department'),
    projectId: thing('project'),
    scopes: (value) => (Array.isArray(value) ? value.map(named(words.scopes)).join(', ') : plain(value)),
    expiresAt: moment(values.never),
    renamed: (value) => (value === true ? words.fields.renamed : ''),
    overlapHours: counted((hours) => (hours === 0 ? values.endedAtOnce : values.worksFor(hours))),
    overlapEnded: (value) => (value === true ? words.fields.overlapEnded : ''),
    strictOutput: (value) => (value === true ? values.refused : values.shortened),
    rescue: (value) => form.rescueChoices[value === true ? 'on' : value === false ? 'off' : 'model'],
    dataPolicy: (value) => writeDataPolicy(value, form),
    allowedModels: listed(form.anyModel, list.noModels),
    allowedProviders: listed(form.anyProvider, values.noProvider),
    allowedRegions: listed(form.anyRegion, values.noRegion),
    requestsPerMinute: limit,
    tokensPerMinute: limit,
    concurrentRequests: limit,
    usd: (value) =>
      [writeMoney(value, figures), ...(details.period === undefined ? [] : [period(details.period)])].join(
        ' ',
      ),
    // Beside an amount it is told with it.
    period: isMoney ? nothing : named(form.budgetNames),
    receivers: named(words.receivers),
    name: plain,
    until: moment(values.noEnd),
    // A number of the house's own.
    journal: nothing,
    from: (value) => (isFromTheBeginning(value) ? '' : writeMoment(value, figures)),
    nanoUsdPerMillion: (value) =>
      Array.isArray(value)
        ? writeList(
            value.map((price) => writePrice(String(price), writing)),
            { none: '', more: words.more },
          )
        : plain(value),
    kind: named(kindsFor(action, language)),
    preferences: counted(values.preferences),
    contacts: counted(values.contacts),
    mails_a_day: counted(values.mailsADay),
    host: plain,
    enabled: (value) => (value === true ? on : off),
    failures: counted(values.failures),
  };
}

function writeMoment(value: unknown, figures: Figures): string {
  const at = new Date(String(value));
  return Number.isNaN(at.getTime()) ? plain(value) : figures.moment(at);
}

/** Terms are usually called by their day. */
const writeDay = (version: string, figures: Figures): string =>
  /^\d{4}-\d\d-\d\d$/.test(version) && !Number.isNaN(Date.parse(version))
    ? figures.day(new Date(version))
    : version;

/** As the catalogue says that a price was there before any other. */
const isFromTheBeginning = (value: unknown): boolean => new Date(String(value)).getTime() === 0;

const decimal = /^-?\d+(\.\d{1,9})?$/;

/** Every digit, since it is what was booked. */
const writeMoney = (value: unknown, figures: Figures): string =>
  typeof value === 'string' && decimal.test(value) ? figures.price(readNanoUsd(value)) : plain(value);

function writeList(
  value: unknown,
  { none, more }: { readonly none: string; readonly more: (number: number) => string },
): string {
  if (!Array.isArray(value)) return plain(value);
  if (value.length === 0) return none;
  const shown = value.slice(0, mostNames).map(plain).join(', ');
  return value.length > mostNames ? `${shown} ${more(value.length - mostNames)}` : shown;
}

/** `password+totp`: the way in, and what it took beside it. Another way in is an identity provider. */
function writeMethod(
  method: string,
  { words, providers }: Pick<FactWriting, 'providers'> & { readonly words: (typeof activityWords)['en'] },
): string {
  const known: Readonly<Record<string, string>> = words.methods;
  const writeOne = (one: string) =>
    known[one] ?? words.withProvider(providers.find(({ name }) => name === one)?.label ?? one);
  return method.split('+').map(writeOne).join(' ');
}

function writeDataPolicy(stored: unknown, form: (typeof keysWords)['en']['form']): string {
  const { data_collection, zdr, regions, quantizations } = readDataLock(stored) ?? {};
  const lock = (label: string, names: readonly string[]) =>
    `${label}: ${names.length === 0 ? form.nothing : names.join(', ')}`;
  return [
    ...(zdr === true ? [form.nothingKept] : data_collection === 'deny' ? [form.noTraining] : []),
    ...(regions === undefined ? [] : [lock(form.dataRegions, regions)]),
    ...(quantizations === undefined ? [] : [lock(form.quantizations, quantizations)]),
  ].join(', ');
}

/** `input 3000000000`, in nano-USD for a million units. */
function writePrice(written: string, { language, figures }: FactWriting): string {
  const [meter = '', amount = ''] = written.split(' ');
  if (!isMeter(meter) || !/^\d+$/.test(amount)) return written;
  const { name, price } = priceLine(meter, BigInt(amount), { words: catalogueWords[language], figures });
  return activityWords[language].labelled(name, price);
}

/** Four lists have kinds of their own; a contact's mail is kept under the event that it tells. */
function kindsFor(action: Told['action'], language: Language): Readonly<Record<string, string>> {
  const { events, mails, bookings } = kindsWords[language];
  if (action === 'wallet.reversed') return bookings;
  if (action === 'account.mail_given_up') return mails;
  return action === 'notification.unsubscribed' ? contactsWords[language].kinds : events;
}
