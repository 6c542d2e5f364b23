import { readFileSync } from 'node:fs';
import { type Delivery, FORM, JSON_TYPE } from '../../../src/telephony/contract/delivery.ts';

export const PUBLIC_URL = 'https://hooks.example.test';

export type Form = Record<string, string>;
export type Payload = Record<string, unknown>;

/** A vendor's payloads and signatures from its folder, as received. */
export const readFixture = <Content>(vendor: string, name: string): Content =>
  JSON.parse(
    readFileSync(new URL(`../../../src/telephony/providers/${vendor}/fixtures/${name}.json`, import.meta.url), 'utf8'),
  );

export type Where = { step?: string | null | undefined; route?: Delivery['route'] };

export const targetOf = ({ step, route = 'voice' }: Where = {}): string =>
  `/api/webhooks/telephony/${route}?account=a1${step ? `&step=${step}` : ''}`;

/** A POST without any signature. */
export const deliver = (type: string, body: string | Buffer, where: Where = {}): Delivery => ({
  route: where.route ?? 'voice',
  method: 'POST',
  target: targetOf(where),
  headers: { 'content-type': type },
  body: Buffer.from(body),
});

export const deliverForm = (form: Form | undefined, where: Where = {}): Delivery =>
  deliver(FORM, new URLSearchParams(form).toString(), where);

export const deliverJson = (content: unknown, where: Where = {}): Delivery =>
  deliver(JSON_TYPE, JSON.stringify(content), where);

export const withHeaders = (delivery: Delivery, headers: Delivery['headers']): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});

/** The same by GET: the form in the query. */
export const byGet = (delivery: Delivery): Delivery => ({
  ...delivery,
  method: 'GET',
  target: `${delivery.target}&${delivery.body}`,
  headers: {},
  body: Buffer.alloc(0),
});
