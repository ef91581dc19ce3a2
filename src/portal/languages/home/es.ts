/** Español: el resumen: cifras, lo que pide atención, primeros pasos. */
import type { Child } from 'hono/jsx';
import { countIn } from '../language.ts';
import type { HomeWords } from './en.ts';

const count = countIn('es');
const daysOf = (number: number) =>
  number < 1 ? 'menos de un día' : count(number, { one: 'día', other: 'días' });

export const es = {
  ownAlone: 'Estas cifras son solo de sus propias solicitudes.',
  showAll: 'Mostrar todo lo que administra',
  period: 'Periodo',
  periods: { 1: 'Hoy', 7: '7 días', 30: '30 días' },
  figures: {
    spend: 'Gasto',
    requests: 'Solicitudes',
    tokens: 'Tokens',
    errorRate: 'Tasa de errores',
    latency: 'Tiempo de respuesta, mediana',
    points: (number: string) => `${number} pp`,
    before: {
      1: 'respecto a ayer hasta esta hora',
      7: 'respecto a los 7 días anteriores',
      30: 'respecto a los 30 días anteriores',
    },
    cached: (share: string) => `${share} leído de la caché`,
    failed: (number: number) => count(number, { one: 'fallida', other: 'fallidas' }),
    p95: (span: string) => `p95 ${span}`,
  },
  chart: {
    title: 'Gasto por modelo',
    titleToday: 'Gasto por hora',
    day: 'Día',
    hour: 'Hora',
    spend: 'Gasto',
    others: 'Otros',
    label: (amount: string) => `Gasto en este periodo: ${amount}`,
    none: 'No se gastó nada en este periodo',
    open: 'Abrir en el uso',
  },
  balance: {
    title: 'Saldo',
    lasts: (days: number, amount: string) => `Alcanza para ${daysOf(days)} a ${amount} al día.`,
    lastsPaying: (days: number, amount: string, name: string) =>
      `Alcanza para ${daysOf(days)} a ${amount} al día para toda ${name}.`,
    steady: 'No se gastó nada en los últimos siete días.',
    byOrganisation: (name: string) => `${name} paga sus solicitudes.`,
  },
  attention: {
    title: 'Requiere atención',
    unverified: [
      'Su dirección no está confirmada',
      'Es posible que los correos sobre su cuenta no le lleguen.',
    ],
    verify: 'Abrir los ajustes',
    empty: [
      'Su saldo está agotado',
      'Las solicitudes a modelos con precio se rechazan con el estado 402 hasta que se añada dinero.',
    ],
    low: (amount: string) => `Solo le quedan ${amount} de saldo`,
    lowDetail: (day: string) =>
      `Al ritmo actual se agota el ${day}. Entonces las solicitudes a modelos con precio reciben el estado 402.`,
    lowSteady: 'Cuando se agote, las solicitudes a modelos con precio recibirán el estado 402.',
    addFunds: 'Ver el saldo',
    keyEnds: (name: string) => `La clave «${name}» caduca pronto`,
    keyEndsDetail: (moment: Child, owner: string | null): Child => [
      'Caduca ',
      moment,
      owner === null ? '. Cree otra antes.' : ` y pertenece a ${owner}. Cree otra antes.`,
    ],
    keyEnded: (name: string) => `La clave «${name}» ha caducado`,
    keyEndedDetail: (moment: Child, owner: string | null): Child => [
      'Caducó ',
      moment,
      owner === null
        ? '. Quien la use todavía recibe el estado 401.'
        : ` y pertenece a ${owner}. Quien la use todavía recibe el estado 401.`,
    ],
    seeKey: 'Ver la clave',
    seeUsage: 'Ver el uso',
    providerFails: (name: string, share: string) => `${name} falla en el ${share} de sus intentos`,
    providerDetail: (failed: number, tried: number, reached: number) =>
      `${failed} de los últimos ${tried} intentos en 24 horas; ${reached === 0 ? 'otros proveedores respondieron a todos' : `${count(reached, { one: 'solicitud falló', other: 'solicitudes fallaron' })} para quien llamaba`}.`,
    seeRequests: 'Ver las solicitudes',
    unpriced: (number: number) =>
      count(number, { one: 'modelo no tiene precio', other: 'modelos no tienen precio' }),
    unpricedDetail: (names: string) =>
      `A las cuentas que pagan se les rechazan las solicitudes a estos modelos: ${names}.`,
    seeModels: 'Ver los modelos',
    budget: (name: string, share: string) => `${name} ha usado el ${share} de su presupuesto`,
    budgetDetail: (spent: string, limit: string) => `${spent} de ${limit}.`,
    budgetUntil: (day: string) => `Empieza de nuevo el ${day}.`,
    budgetStops: 'Hasta entonces las solicitudes reciben el estado 402.',
    budgetStopsRaised: 'Hasta que se aumente, las solicitudes reciben el estado 402.',
    yourBudget: 'Su cuenta',
    yourDepartment: 'Su departamento',
    secondFactor: [
      'Su inicio de sesión tiene un solo paso',
      'Usted administra a otras personas: debería tener dos.',
    ],
    addSecondFactor: 'Configurarlo',
  },
  steps: {
    title: 'Primeros pasos',
    progress: (done: number, all: number) => `${done} de ${all} hechos`,
    verified: 'Confirmar su dirección',
    key: 'Crear una clave de API',
    funded: 'Tener saldo',
    request: 'Enviar la primera solicitud',
    waiting: 'Aparece aquí en cuanto llega.',
    done: 'hecho',
    open: 'pendiente',
    all: 'Todo está listo. Las cifras se llenan a partir de ahora.',
    dismiss: 'Ocultar estos pasos',
    go: 'Abrir',
  },
  send: {
    title: 'Enviar una solicitud',
    detail: (variable: Child): Child => ['La variable ', variable, ' contiene su token de API.'],
  },
  spenders: {
    title: 'Los mayores gastos',
    person: 'Persona',
    requests: 'Solicitudes',
    spend: 'Gasto',
    share: 'Parte',
    gone: 'ya no está',
  },
  latest: { all: 'Todas las solicitudes' },
} satisfies HomeWords;
