/** La página de uso. */
import { countIn } from '../language.ts';
import type { UsageWords } from './en.ts';

const count = countIn('es');

export const es = {
  title: 'Uso',
  exportCsv: 'Exportar CSV',
  asJson: 'Como JSON',
  show: 'Mostrar',
  metrics: {
    spend: 'Gasto',
    requests: 'Solicitudes',
    tokens: 'Tokens',
    errors: 'Tasa de errores',
    latency: 'Duración',
    first: 'Primer token',
    cached: 'Leídos de la caché',
  },
  by: 'Por',
  groups: {
    none: 'nada, todo junto',
    kind: 'tipo de token',
    model: 'modelo',
    provider: 'proveedor',
    key: 'clave',
    person: 'persona',
    organisation: 'organización',
    department: 'departamento',
    project: 'proyecto',
    tag: 'etiqueta',
    end_user: 'usuario final',
    status: 'estado',
  },
  every: 'Por',
  steps: { hour: 'hora', day: 'día', week: 'semana', month: 'mes' },
  range: 'Periodo',
  ranges: {
    today: 'hoy',
    '7d': 'últimos 7 días',
    '30d': 'últimos 30 días',
    '90d': 'últimos 90 días',
    '365d': 'últimos 365 días',
  },
  between: (from: string, to: string) => `del ${from} al ${to}`,
  from: 'Desde',
  to: 'Hasta',
  apply: 'Mostrar',
  filter: 'Filtro',
  removeFilter: (name: string) => `Quitar el filtro ${name}`,
  onBefore: (days: number) =>
    days === 1
      ? 'respecto al día anterior'
      : `respecto a los ${count(days, { one: 'día', other: 'días' })} anteriores`,
  sameAsBefore: (days: number) =>
    days === 1
      ? 'como el día anterior'
      : `como en los ${count(days, { one: 'día', other: 'días' })} anteriores`,
  partial: 'Lo que aún no ha terminado se dibuja más claro. Los días son de UTC.',
  whole: 'Los días son de UTC.',
  twiceCounted: 'Una solicitud cuenta en cada una de sus etiquetas.',
  noLabel: {
    tag: 'Ninguna solicitud de este periodo tiene etiqueta.',
    end_user: 'Ninguna solicitud de este periodo nombra un usuario final.',
  },
  /** A request may have several tags, so that what is left is the least that has none. */
  withoutLabel: {
    tag: (amount: string, share: string) => `Al menos ${amount} (${share}) no tiene etiqueta.`,
    end_user: (amount: string, share: string) => `Sin usuario final: ${amount} (${share}).`,
  },
  chart: (metric: string, total: string) => `${metric}: ${total}`,
  others: (number: number) => count(number, { one: 'más', other: 'más' }),
  allOthers: 'Otros',
  median: 'Mediana',
  p95: 'p95',
  nothing: 'ninguno',
  all: 'Todo',
  share: 'Parte',
  change: 'Cambio',
  perThousand: 'Por 1000 solicitudes',
  more: (number: number) => `Se muestran los ${number} más caros.`,
  none: 'Ninguna solicitud en este periodo',
  noneDetail:
    'Las solicitudes se cuentan aquí en cuanto terminan. Quite un filtro o elija un periodo más largo.',
  longer: 'Últimos 365 días',
  openRequests: 'Abrir las solicitudes',
  kinds: {
    input: 'Entrada nueva',
    cacheRead: 'Leídos de la caché',
    cacheWrite: 'Escritos en la caché',
    output: 'Respuesta',
    reasoning: 'Razonamiento',
  },
} satisfies UsageWords;
