/** Español: los modelos: la lista, un modelo y cómo preguntarle a uno. */
import { countIn } from '../language.ts';
import type { ModelsWords } from './en.ts';

const count = countIn('es');

export const es = {
  title: 'Modelos',
  shown: (shown: number, all: number) =>
    shown === all
      ? `${count(all, { one: 'modelo', other: 'modelos' })}, precios en dólares por millón de tokens`
      : `${shown} de ${count(all, { one: 'modelo', other: 'modelos' })}, precios en dólares por millón de tokens`,
  search: 'Nombre, creador o alias',
  does: 'Capacidades',
  outputLimit: 'Salida máxima',
  firstToken: 'Primer token',
  speed: 'Tokens por segundo',
  answered: 'Respondidas, 7 días',
  answeredShort: 'Respondidas',
  inputPrice: 'Precio de entrada',
  key: 'Clave',
  noPrice: 'Sin precio',
  atLeast: (tokens: string) => `al menos ${tokens}`,
  atMost: (price: string) => `como máximo ${price}`,
  measured:
    'Los tiempos son medianas de todas las solicitudes de los últimos siete días, a partir de diez solicitudes.',
  ownUse: 'Su uso, 30 días',
  ownUsed: (requests: number, cost: string) =>
    `${count(requests, { one: 'solicitud', other: 'solicitudes' })}, ${cost}`,
} satisfies ModelsWords;
