/** Español: el resumen. */
import type { DashboardWords } from './en.ts';

export const es = {
  title: 'Resumen',
  balance: {
    title: 'Saldo',
    exempt: 'Sus solicitudes se cuentan a precio de coste y no se cobran a nadie.',
    prepaid: 'De prepago. Lo que cuesta una solicitud se toma cuando termina.',
    empty: 'Vacío: las solicitudes a modelos con precio se rechazan con el estado 402',
    howToAdd: 'Añada saldo con esta orden en el servidor:',
    askToAdd: (email) => ['Pida saldo a quien administra este servicio, para ', email],
  },
  start: {
    noModel: 'En cuanto haya un modelo de chat, aquí aparecerá una línea para pegar.',
    baseUrl: (address) => ['Los clientes de OpenAI usan la dirección base ', address],
  },
  requests: {
    title: 'Últimas solicitudes',
    none: 'Aún no hay solicitudes',
    noneDetail: 'Las solicitudes aparecen aquí en cuanto terminan.',
  },
  keys: {
    title: 'Claves de API',
    none: 'Aún no hay claves',
    noneDetail: 'Cree una aquí; su token se muestra una sola vez.',
    name: 'Nombre',
    token: 'Token',
    state: 'Estado',
    lastUsed: 'Último uso',
    active: 'Activa',
    activeUntil: (moment) => ['Activa, caduca ', moment],
    disabled: 'Desactivada',
    expired: 'Caducada',
  },
} satisfies DashboardWords;
