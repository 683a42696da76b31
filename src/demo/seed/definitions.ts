/** Definitions of the demo's APIs. */

export const PAYMENTS_HTTP = `openapi: 3.1.0
info:
  title: Payments over HTTP
  version: 2.3.0
  description: Create, capture and refund payments. Amounts are in **minor units**.
tags: [{ name: Payments }]
paths:
  /payments:
    post:
      tags: [Payments]
      summary: Create a payment
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Payment' } }
      responses:
        '201': { description: The payment is authorised }
  /payments/{id}/refund:
    post:
      tags: [Payments]
      summary: Refund a payment
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '202': { description: The refund is booked }
        '409': { description: The payment is not captured yet }
components:
  schemas:
    Payment:
      type: object
      required: [amount, currency]
      properties:
        amount: { type: integer, examples: [1299] }
        currency: { type: string, examples: [EUR] }
`

export const FRAUD_SIGNALS = `asyncapi: 3.0.0
info:
  title: Fraud signals
  version: 0.4.0
channels:
  signals:
    address: fraud/signals
    messages:
      signal:
        payload:
          type: object
          required: [paymentId, score]
          properties:
            paymentId: { type: string }
            score: { type: number, minimum: 0, maximum: 1 }
operations:
  receiveSignal:
    action: receive
    channel: { $ref: '#/channels/signals' }
`
