/** Deutsch: der Katalog der Modelle. */
import { countIn } from '../language.ts';
import type { CatalogueWords } from './en.ts';

const count = countIn('de');

export const de = {
  title: 'Modelle',
  description:
    'Jedes Modell, das dieser Dienst anbietet: Kontext, Fähigkeiten, Anbieter und Preise zum Vergleichen.',
  modelDescription: (model, owner) =>
    `${model} von ${owner}: Kontext, Preise, Anbieter und eine Anfrage zum Kopieren.`,
  counted: (models) => count(models, { one: 'Modell', other: 'Modelle' }),
  lead: (counted) =>
    `${counted}, wie das Gateway sie jetzt bedient. Preise in US-Dollar für eine Million Token, wo eine Zelle nichts anderes sagt.`,
  search: 'Modelle suchen',
  all: 'Alle',
  type: 'Art',
  types: {
    chat: 'Chat',
    embedding: 'Einbettung',
    rerank: 'Umsortieren',
    transcription: 'Transkription',
    speech: 'Sprache',
  },
  capability: 'Fähigkeit',
  capabilities: {
    tools: 'Werkzeuge',
    vision: 'Bilder',
    reasoning: 'Nachdenken',
    thinking: 'Sichtbares Denken',
  },
  compare: 'Angekreuzte vergleichen',
  compareFew: 'Zum Vergleichen zwei ankreuzen',
  /** Of two or more. */
  compareMany: (models) => `${models} Modelle vergleichen`,
  compareColumn: 'Vergleich',
  compareTick: 'Vergleichen',
  compareThis: (model) => `${model} vergleichen`,
  compared: 'Im Vergleich',
  endComparison: 'Vergleich beenden',
  onlyFour: 'Vier passen nebeneinander: Gezeigt werden die ersten vier, die angekreuzt waren.',
  none: 'Kein Modell ist so',
  showAll: 'Alle Modelle zeigen',
  model: 'Modell',
  owner: 'Hersteller',
  aliases: 'Andere Namen',
  context: 'Kontext',
  longestAnswer: 'Längste Antwort',
  tokens: (number) => `${number} Token`,
  input: 'Eingabe',
  output: 'Ausgabe',
  yes: 'Ja',
  no: 'Nein',
  free: 'Kostenlos',
  prices: 'Preise',
  what: 'Wofür',
  price: 'Preis',
  pricesDetail:
    'Nichts wird doppelt gezählt: Was ein Cache lieferte, ist nicht noch einmal Eingabe, und Nachdenken ist ein Teil der Ausgabe.',
  variantPrices: (number) =>
    `${count(number, { one: 'weiterer Preis', other: 'weitere Preise' })} von Stufen und langen Prompts`,
  per: {
    millionTokens: 'je Million',
    minute: 'je Minute',
    millionCharacters: 'je Million Zeichen',
    thousandSearches: 'je 1.000 Suchen',
    thousandCalls: 'je 1.000 Aufrufe',
    one: 'je Stück',
  },
  meters: {
    input: 'Eingabe',
    cached_input: 'Eingabe aus dem Cache',
    cache_write_5m: 'In den Cache geschrieben, für 5 Minuten',
    cache_write_1h: 'In den Cache geschrieben, für eine Stunde',
    output: 'Ausgabe',
    reasoning: 'Nachdenken',
    audio_input: 'Ton in der Eingabe',
    audio_output: 'Ton in der Ausgabe',
    image_output: 'Bilder in der Ausgabe',
    audio_second: 'Ton',
    character: 'Text zum Sprechen',
    rerank_unit: 'Umsortieren',
    web_search: 'Suche im Netz',
    file_search: 'Suche in Dateien',
    container: 'Container',
    image: 'Bilder',
  },
  tier: (name) => `Stufe ${name}`,
  above: (thousands) => `Prompts über ${thousands}.000 Token`,
  request: 'Eine Anfrage',
  requestDetail: (variable) => ['Die Variable ', variable, ' enthält Ihr API-Token.'],
  providers: 'Anbieter',
  provider: 'Anbieter',
  region: 'Region',
  order: 'Reihenfolge',
  providersDetail:
    'Sie werden in dieser Reihenfolge gefragt, bis der erste Inhalt einer Antwort da ist. Ein Schlüssel lässt sich auf Anbieter und Regionen beschränken.',
} satisfies CatalogueWords;
