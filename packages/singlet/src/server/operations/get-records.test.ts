import { describe, expect, test } from 'vitest';
import { StoredItem } from '../../engine/index.ts';
import { createProbeEngine } from '../testing/probe-engine.ts';
import { callAction, testOptions } from '../testing/wire-client.ts';
import { createWireHandler } from '../wire.ts';

const item = (text: string): StoredItem => new StoredItem(Buffer.from(text), 3);

describe('GetRecords', () => {
  test('DB-263 a record on the wire: names as the SDKs read them, items as they are stored', async () => {
    const engine = createProbeEngine({
      GetRecords: {
        records: [
          {
            awsRegion: 'us-east-1',
            dynamodb: {
              approximateCreationDateTime: 1_704_067_200,
              keys: item('{"pk":{"S":"a"}}'),
              oldImage: item('{"pk": {"S": "a"}}'),
              sequenceNumber: '100000000000000100000000',
              sizeBytes: 6,
              streamViewType: 'OLD_IMAGE',
            },
            eventId: '00112233445566778899aabbccddeeff',
            eventName: 'REMOVE',
            eventSource: 'aws:dynamodb',
            eventVersion: '1.1',
            userIdentity: { principalId: 'dynamodb.amazonaws.com', type: 'Service' },
          },
        ],
        nextShardIterator: 'next',
      },
    });
    const handler = createWireHandler(engine, testOptions());
    const { status, json } = await callAction(handler, 'GetRecords', { ShardIterator: 'iterator' });
    expect(status).toBe(200);
    expect(json).toEqual({
      NextShardIterator: 'next',
      Records: [
        {
          awsRegion: 'us-east-1',
          dynamodb: {
            ApproximateCreationDateTime: 1_704_067_200,
            Keys: { pk: { S: 'a' } },
            OldImage: { pk: { S: 'a' } },
            SequenceNumber: '100000000000000100000000',
            SizeBytes: 6,
            StreamViewType: 'OLD_IMAGE',
          },
          eventID: '00112233445566778899aabbccddeeff',
          eventName: 'REMOVE',
          eventSource: 'aws:dynamodb',
          eventVersion: '1.1',
          userIdentity: { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' },
        },
      ],
    });
  });
});
