/** Español: el catálogo de modelos. */
import { countIn } from '../language.ts';
import type { CatalogueWords } from './en.ts';

const count = countIn('es');

export const es = {
  title: 'Modelos',
  description:
    'Todos los modelos que ofrece este servicio: contexto, capacidades, proveedores y precios, para comparar.',
  modelDescription: (model, owner) =>
    `${model} de ${owner}: contexto, precios, proveedores y una solicitud para copiar.`,
  counted: (models) => count(models, { one: 'modelo', other: 'modelos' }),
  lead: (counted) =>
    `${counted}, como la pasarela los sirve ahora. Precios en dólares estadounidenses por un millón de tokens, salvo que una celda diga otra cosa.`,
  search: 'Buscar modelos',
  all: 'Todos',
  type: 'Tipo',
  types: {
    chat: 'Chat',
    embedding: 'Vectores',
    rerank: 'Reordenación',
    transcription: 'Transcripción',
    speech: 'Voz',
  },
  capability: 'Capacidad',
  capabilities: {
    tools: 'Herramientas',
    vision: 'Imágenes',
    reasoning: 'Razonamiento',
    thinking: 'Pensamiento visible',
  },
  compare: 'Comparar los marcados',
  compareFew: 'Marque dos o más para comparar',
  /** Of two or more. */
  compareMany: (models) => `Comparar ${models} modelos`,
  compareColumn: 'Comparar',
  compareTick: 'Comparar',
  compareThis: (model) => `Comparar ${model}`,
  compared: 'Comparados',
  endComparison: 'Terminar la comparación',
  onlyFour: 'Caben cuatro juntos: se muestran los cuatro primeros marcados.',
  none: 'Ningún modelo es así',
  showAll: 'Mostrar todos los modelos',
  model: 'Modelo',
  owner: 'Creado por',
  aliases: 'Otros nombres',
  context: 'Contexto',
  longestAnswer: 'Respuesta más larga',
  tokens: (number) => `${number} tokens`,
  input: 'Entrada',
  output: 'Salida',
  yes: 'Sí',
  no: 'No',
  free: 'Gratis',
  prices: 'Precios',
  what: 'Por',
  price: 'Precio',
  pricesDetail:
    'Nada se cuenta dos veces: lo que sirvió una caché no vuelve a ser entrada, y el razonamiento es parte de la salida.',
  variantPrices: (number) =>
    `${count(number, { one: 'precio más', other: 'precios más' })}, de niveles y de entradas largas`,
  per: {
    millionTokens: 'por millón',
    minute: 'por minuto',
    millionCharacters: 'por millón de caracteres',
    thousandSearches: 'por 1.000 búsquedas',
    thousandCalls: 'por 1.000 llamadas',
    one: 'por unidad',
  },
  meters: {
    input: 'Entrada',
    cached_input: 'Entrada desde la caché',
    cache_write_5m: 'Escrito en la caché por 5 minutos',
    cache_write_1h: 'Escrito en la caché por una hora',
    output: 'Salida',
    reasoning: 'Razonamiento',
    audio_input: 'Sonido en la entrada',
    audio_output: 'Sonido en la salida',
    image_output: 'Imágenes en la salida',
    audio_second: 'Audio',
    character: 'Texto para decir',
    rerank_unit: 'Reordenación',
    web_search: 'Búsqueda en la web',
    file_search: 'Búsqueda en archivos',
    container: 'Contenedores',
    image: 'Imágenes',
  },
  tier: (name) => `nivel ${name}`,
  above: (thousands) => `entradas de más de ${thousands}.000 tokens`,
  request: 'Una solicitud',
  requestDetail: (variable) => ['La variable ', variable, ' contiene su token de API.'],
  providers: 'Proveedores',
  provider: 'Proveedor',
  region: 'Región',
  order: 'Orden',
  providersDetail:
    'Se prueban en este orden, hasta el primer contenido de una respuesta. Una clave se puede limitar a proveedores y regiones.',
} satisfies CatalogueWords;
