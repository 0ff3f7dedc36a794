import type { Figure } from './day-figures.ts';

/** A figure as a person reads it. */
export interface Column {
  readonly figure: Figure;
  readonly title: string;
  readonly explains: string;
}

export const CREDIT_COLUMNS: readonly Column[] = [
  { figure: 'grantedAllowance', title: 'allowance', explains: 'granted for a new period' },
  { figure: 'grantedPacks', title: 'packs', explains: 'granted with packs' },
  { figure: 'spent', title: 'spent', explains: 'by consumes and confirmed reservations' },
  { figure: 'clawedBack', title: 'clawed back', explains: 'with money that went back' },
  { figure: 'expired', title: 'expired', explains: 'allowance that was left at a renewal or an end' },
  { figure: 'adjusted', title: 'adjusted', explains: 'restored, imported or corrected' },
  { figure: 'held', title: 'held', explains: 'by reservations that were begun' },
  { figure: 'lapsed', title: 'lapsed', explains: 'of reservations that were settled too late' },
];

export const SALES_COLUMNS: readonly Column[] = [
  { figure: 'invoices', title: 'invoices', explains: 'of subscriptions, paid; known for 45 days' },
  { figure: 'packs', title: 'packs', explains: 'bought' },
  { figure: 'lifetimes', title: 'lifetime', explains: 'plans bought' },
  { figure: 'refunds', title: 'refunds', explains: 'of packs and lifetime plans' },
  { figure: 'disputes', title: 'disputes', explains: 'opened' },
];
