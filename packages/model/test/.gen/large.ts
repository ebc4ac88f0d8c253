import { z } from 'zod';
import { entity, model } from "../../src/index.ts";
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
export const large = model('large').entities({
Entity0: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity1: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity2: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity3: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity4: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity5: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity6: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity7: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity8: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity9: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity10: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity11: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity12: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity13: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity14: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity15: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity16: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity17: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity18: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
Entity19: entity({ tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([]) }),
}).relationships([]).patterns({
createEntity0: { actor: 'user', creates: 'Entity0', rate: 1 },
getEntity0: { actor: 'user', reads: 'Entity0', by: ['tenantId', 'id'], rate: 10 },
byEntity0Owner: { actor: 'user', reads: ['Entity0'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity0Status: { actor: 'user', reads: ['Entity0'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity0: { actor: 'user', updates: 'Entity0', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity1: { actor: 'user', creates: 'Entity1', rate: 1 },
getEntity1: { actor: 'user', reads: 'Entity1', by: ['tenantId', 'id'], rate: 10 },
byEntity1Owner: { actor: 'user', reads: ['Entity1'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity1Status: { actor: 'user', reads: ['Entity1'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity1: { actor: 'user', updates: 'Entity1', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity2: { actor: 'user', creates: 'Entity2', rate: 1 },
getEntity2: { actor: 'user', reads: 'Entity2', by: ['tenantId', 'id'], rate: 10 },
byEntity2Owner: { actor: 'user', reads: ['Entity2'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity2Status: { actor: 'user', reads: ['Entity2'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity2: { actor: 'user', updates: 'Entity2', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity3: { actor: 'user', creates: 'Entity3', rate: 1 },
getEntity3: { actor: 'user', reads: 'Entity3', by: ['tenantId', 'id'], rate: 10 },
byEntity3Owner: { actor: 'user', reads: ['Entity3'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity3Status: { actor: 'user', reads: ['Entity3'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity3: { actor: 'user', updates: 'Entity3', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity4: { actor: 'user', creates: 'Entity4', rate: 1 },
getEntity4: { actor: 'user', reads: 'Entity4', by: ['tenantId', 'id'], rate: 10 },
byEntity4Owner: { actor: 'user', reads: ['Entity4'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity4Status: { actor: 'user', reads: ['Entity4'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity4: { actor: 'user', updates: 'Entity4', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity5: { actor: 'user', creates: 'Entity5', rate: 1 },
getEntity5: { actor: 'user', reads: 'Entity5', by: ['tenantId', 'id'], rate: 10 },
byEntity5Owner: { actor: 'user', reads: ['Entity5'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity5Status: { actor: 'user', reads: ['Entity5'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity5: { actor: 'user', updates: 'Entity5', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity6: { actor: 'user', creates: 'Entity6', rate: 1 },
getEntity6: { actor: 'user', reads: 'Entity6', by: ['tenantId', 'id'], rate: 10 },
byEntity6Owner: { actor: 'user', reads: ['Entity6'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity6Status: { actor: 'user', reads: ['Entity6'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity6: { actor: 'user', updates: 'Entity6', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity7: { actor: 'user', creates: 'Entity7', rate: 1 },
getEntity7: { actor: 'user', reads: 'Entity7', by: ['tenantId', 'id'], rate: 10 },
byEntity7Owner: { actor: 'user', reads: ['Entity7'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity7Status: { actor: 'user', reads: ['Entity7'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity7: { actor: 'user', updates: 'Entity7', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity8: { actor: 'user', creates: 'Entity8', rate: 1 },
getEntity8: { actor: 'user', reads: 'Entity8', by: ['tenantId', 'id'], rate: 10 },
byEntity8Owner: { actor: 'user', reads: ['Entity8'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity8Status: { actor: 'user', reads: ['Entity8'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity8: { actor: 'user', updates: 'Entity8', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity9: { actor: 'user', creates: 'Entity9', rate: 1 },
getEntity9: { actor: 'user', reads: 'Entity9', by: ['tenantId', 'id'], rate: 10 },
byEntity9Owner: { actor: 'user', reads: ['Entity9'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity9Status: { actor: 'user', reads: ['Entity9'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity9: { actor: 'user', updates: 'Entity9', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity10: { actor: 'user', creates: 'Entity10', rate: 1 },
getEntity10: { actor: 'user', reads: 'Entity10', by: ['tenantId', 'id'], rate: 10 },
byEntity10Owner: { actor: 'user', reads: ['Entity10'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity10Status: { actor: 'user', reads: ['Entity10'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity10: { actor: 'user', updates: 'Entity10', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity11: { actor: 'user', creates: 'Entity11', rate: 1 },
getEntity11: { actor: 'user', reads: 'Entity11', by: ['tenantId', 'id'], rate: 10 },
byEntity11Owner: { actor: 'user', reads: ['Entity11'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity11Status: { actor: 'user', reads: ['Entity11'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity11: { actor: 'user', updates: 'Entity11', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity12: { actor: 'user', creates: 'Entity12', rate: 1 },
getEntity12: { actor: 'user', reads: 'Entity12', by: ['tenantId', 'id'], rate: 10 },
byEntity12Owner: { actor: 'user', reads: ['Entity12'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity12Status: { actor: 'user', reads: ['Entity12'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity12: { actor: 'user', updates: 'Entity12', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity13: { actor: 'user', creates: 'Entity13', rate: 1 },
getEntity13: { actor: 'user', reads: 'Entity13', by: ['tenantId', 'id'], rate: 10 },
byEntity13Owner: { actor: 'user', reads: ['Entity13'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity13Status: { actor: 'user', reads: ['Entity13'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity13: { actor: 'user', updates: 'Entity13', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity14: { actor: 'user', creates: 'Entity14', rate: 1 },
getEntity14: { actor: 'user', reads: 'Entity14', by: ['tenantId', 'id'], rate: 10 },
byEntity14Owner: { actor: 'user', reads: ['Entity14'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity14Status: { actor: 'user', reads: ['Entity14'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity14: { actor: 'user', updates: 'Entity14', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity15: { actor: 'user', creates: 'Entity15', rate: 1 },
getEntity15: { actor: 'user', reads: 'Entity15', by: ['tenantId', 'id'], rate: 10 },
byEntity15Owner: { actor: 'user', reads: ['Entity15'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity15Status: { actor: 'user', reads: ['Entity15'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity15: { actor: 'user', updates: 'Entity15', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity16: { actor: 'user', creates: 'Entity16', rate: 1 },
getEntity16: { actor: 'user', reads: 'Entity16', by: ['tenantId', 'id'], rate: 10 },
byEntity16Owner: { actor: 'user', reads: ['Entity16'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity16Status: { actor: 'user', reads: ['Entity16'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity16: { actor: 'user', updates: 'Entity16', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity17: { actor: 'user', creates: 'Entity17', rate: 1 },
getEntity17: { actor: 'user', reads: 'Entity17', by: ['tenantId', 'id'], rate: 10 },
byEntity17Owner: { actor: 'user', reads: ['Entity17'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity17Status: { actor: 'user', reads: ['Entity17'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity17: { actor: 'user', updates: 'Entity17', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity18: { actor: 'user', creates: 'Entity18', rate: 1 },
getEntity18: { actor: 'user', reads: 'Entity18', by: ['tenantId', 'id'], rate: 10 },
byEntity18Owner: { actor: 'user', reads: ['Entity18'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity18Status: { actor: 'user', reads: ['Entity18'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity18: { actor: 'user', updates: 'Entity18', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
createEntity19: { actor: 'user', creates: 'Entity19', rate: 1 },
getEntity19: { actor: 'user', reads: 'Entity19', by: ['tenantId', 'id'], rate: 10 },
byEntity19Owner: { actor: 'user', reads: ['Entity19'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },
byEntity19Status: { actor: 'user', reads: ['Entity19'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },
updateEntity19: { actor: 'user', updates: 'Entity19', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },
}).tables({ Large: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } }).keys({
Entity0: {
    Large: ['TENANT#{tenantId}', 'ENTITY0#{id}'],
    GSI1: ['ENTITY0OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY0#{status}#{createdAt:utc}#{id}'],
  },
Entity1: {
    Large: ['TENANT#{tenantId}', 'ENTITY1#{id}'],
    GSI1: ['ENTITY1OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY1#{status}#{createdAt:utc}#{id}'],
  },
Entity2: {
    Large: ['TENANT#{tenantId}', 'ENTITY2#{id}'],
    GSI1: ['ENTITY2OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY2#{status}#{createdAt:utc}#{id}'],
  },
Entity3: {
    Large: ['TENANT#{tenantId}', 'ENTITY3#{id}'],
    GSI1: ['ENTITY3OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY3#{status}#{createdAt:utc}#{id}'],
  },
Entity4: {
    Large: ['TENANT#{tenantId}', 'ENTITY4#{id}'],
    GSI1: ['ENTITY4OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY4#{status}#{createdAt:utc}#{id}'],
  },
Entity5: {
    Large: ['TENANT#{tenantId}', 'ENTITY5#{id}'],
    GSI1: ['ENTITY5OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY5#{status}#{createdAt:utc}#{id}'],
  },
Entity6: {
    Large: ['TENANT#{tenantId}', 'ENTITY6#{id}'],
    GSI1: ['ENTITY6OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY6#{status}#{createdAt:utc}#{id}'],
  },
Entity7: {
    Large: ['TENANT#{tenantId}', 'ENTITY7#{id}'],
    GSI1: ['ENTITY7OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY7#{status}#{createdAt:utc}#{id}'],
  },
Entity8: {
    Large: ['TENANT#{tenantId}', 'ENTITY8#{id}'],
    GSI1: ['ENTITY8OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY8#{status}#{createdAt:utc}#{id}'],
  },
Entity9: {
    Large: ['TENANT#{tenantId}', 'ENTITY9#{id}'],
    GSI1: ['ENTITY9OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY9#{status}#{createdAt:utc}#{id}'],
  },
Entity10: {
    Large: ['TENANT#{tenantId}', 'ENTITY10#{id}'],
    GSI1: ['ENTITY10OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY10#{status}#{createdAt:utc}#{id}'],
  },
Entity11: {
    Large: ['TENANT#{tenantId}', 'ENTITY11#{id}'],
    GSI1: ['ENTITY11OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY11#{status}#{createdAt:utc}#{id}'],
  },
Entity12: {
    Large: ['TENANT#{tenantId}', 'ENTITY12#{id}'],
    GSI1: ['ENTITY12OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY12#{status}#{createdAt:utc}#{id}'],
  },
Entity13: {
    Large: ['TENANT#{tenantId}', 'ENTITY13#{id}'],
    GSI1: ['ENTITY13OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY13#{status}#{createdAt:utc}#{id}'],
  },
Entity14: {
    Large: ['TENANT#{tenantId}', 'ENTITY14#{id}'],
    GSI1: ['ENTITY14OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY14#{status}#{createdAt:utc}#{id}'],
  },
Entity15: {
    Large: ['TENANT#{tenantId}', 'ENTITY15#{id}'],
    GSI1: ['ENTITY15OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY15#{status}#{createdAt:utc}#{id}'],
  },
Entity16: {
    Large: ['TENANT#{tenantId}', 'ENTITY16#{id}'],
    GSI1: ['ENTITY16OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY16#{status}#{createdAt:utc}#{id}'],
  },
Entity17: {
    Large: ['TENANT#{tenantId}', 'ENTITY17#{id}'],
    GSI1: ['ENTITY17OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY17#{status}#{createdAt:utc}#{id}'],
  },
Entity18: {
    Large: ['TENANT#{tenantId}', 'ENTITY18#{id}'],
    GSI1: ['ENTITY18OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY18#{status}#{createdAt:utc}#{id}'],
  },
Entity19: {
    Large: ['TENANT#{tenantId}', 'ENTITY19#{id}'],
    GSI1: ['ENTITY19OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', 'ENTITY19#{status}#{createdAt:utc}#{id}'],
  },
}).served({
createEntity0: 'PutItem', getEntity0: 'GetItem', byEntity0Owner: { query: 'GSI1' }, byEntity0Status: { query: 'GSI2' }, updateEntity0: 'UpdateItem',
createEntity1: 'PutItem', getEntity1: 'GetItem', byEntity1Owner: { query: 'GSI1' }, byEntity1Status: { query: 'GSI2' }, updateEntity1: 'UpdateItem',
createEntity2: 'PutItem', getEntity2: 'GetItem', byEntity2Owner: { query: 'GSI1' }, byEntity2Status: { query: 'GSI2' }, updateEntity2: 'UpdateItem',
createEntity3: 'PutItem', getEntity3: 'GetItem', byEntity3Owner: { query: 'GSI1' }, byEntity3Status: { query: 'GSI2' }, updateEntity3: 'UpdateItem',
createEntity4: 'PutItem', getEntity4: 'GetItem', byEntity4Owner: { query: 'GSI1' }, byEntity4Status: { query: 'GSI2' }, updateEntity4: 'UpdateItem',
createEntity5: 'PutItem', getEntity5: 'GetItem', byEntity5Owner: { query: 'GSI1' }, byEntity5Status: { query: 'GSI2' }, updateEntity5: 'UpdateItem',
createEntity6: 'PutItem', getEntity6: 'GetItem', byEntity6Owner: { query: 'GSI1' }, byEntity6Status: { query: 'GSI2' }, updateEntity6: 'UpdateItem',
createEntity7: 'PutItem', getEntity7: 'GetItem', byEntity7Owner: { query: 'GSI1' }, byEntity7Status: { query: 'GSI2' }, updateEntity7: 'UpdateItem',
createEntity8: 'PutItem', getEntity8: 'GetItem', byEntity8Owner: { query: 'GSI1' }, byEntity8Status: { query: 'GSI2' }, updateEntity8: 'UpdateItem',
createEntity9: 'PutItem', getEntity9: 'GetItem', byEntity9Owner: { query: 'GSI1' }, byEntity9Status: { query: 'GSI2' }, updateEntity9: 'UpdateItem',
createEntity10: 'PutItem', getEntity10: 'GetItem', byEntity10Owner: { query: 'GSI1' }, byEntity10Status: { query: 'GSI2' }, updateEntity10: 'UpdateItem',
createEntity11: 'PutItem', getEntity11: 'GetItem', byEntity11Owner: { query: 'GSI1' }, byEntity11Status: { query: 'GSI2' }, updateEntity11: 'UpdateItem',
createEntity12: 'PutItem', getEntity12: 'GetItem', byEntity12Owner: { query: 'GSI1' }, byEntity12Status: { query: 'GSI2' }, updateEntity12: 'UpdateItem',
createEntity13: 'PutItem', getEntity13: 'GetItem', byEntity13Owner: { query: 'GSI1' }, byEntity13Status: { query: 'GSI2' }, updateEntity13: 'UpdateItem',
createEntity14: 'PutItem', getEntity14: 'GetItem', byEntity14Owner: { query: 'GSI1' }, byEntity14Status: { query: 'GSI2' }, updateEntity14: 'UpdateItem',
createEntity15: 'PutItem', getEntity15: 'GetItem', byEntity15Owner: { query: 'GSI1' }, byEntity15Status: { query: 'GSI2' }, updateEntity15: 'UpdateItem',
createEntity16: 'PutItem', getEntity16: 'GetItem', byEntity16Owner: { query: 'GSI1' }, byEntity16Status: { query: 'GSI2' }, updateEntity16: 'UpdateItem',
createEntity17: 'PutItem', getEntity17: 'GetItem', byEntity17Owner: { query: 'GSI1' }, byEntity17Status: { query: 'GSI2' }, updateEntity17: 'UpdateItem',
createEntity18: 'PutItem', getEntity18: 'GetItem', byEntity18Owner: { query: 'GSI1' }, byEntity18Status: { query: 'GSI2' }, updateEntity18: 'UpdateItem',
createEntity19: 'PutItem', getEntity19: 'GetItem', byEntity19Owner: { query: 'GSI1' }, byEntity19Status: { query: 'GSI2' }, updateEntity19: 'UpdateItem',
});
import type { Signature } from '../../src/index.ts';
declare const db: { [P in keyof typeof large.patterns]: Signature<typeof large.entities, (typeof large.patterns)[P]> };
export async function use(): Promise<void> {
  await db.createEntity0({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity0 = await db.getEntity0({ tenantId: 't', id: 'i' });
  oneEntity0?.title.length.toFixed();
  const pageEntity0 = await db.byEntity0Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity0.items.map(({ note }) => note?.length);
  (await db.byEntity0Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity0({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity1({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity1 = await db.getEntity1({ tenantId: 't', id: 'i' });
  oneEntity1?.title.length.toFixed();
  const pageEntity1 = await db.byEntity1Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity1.items.map(({ note }) => note?.length);
  (await db.byEntity1Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity1({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity2({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity2 = await db.getEntity2({ tenantId: 't', id: 'i' });
  oneEntity2?.title.length.toFixed();
  const pageEntity2 = await db.byEntity2Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity2.items.map(({ note }) => note?.length);
  (await db.byEntity2Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity2({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity3({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity3 = await db.getEntity3({ tenantId: 't', id: 'i' });
  oneEntity3?.title.length.toFixed();
  const pageEntity3 = await db.byEntity3Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity3.items.map(({ note }) => note?.length);
  (await db.byEntity3Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity3({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity4({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity4 = await db.getEntity4({ tenantId: 't', id: 'i' });
  oneEntity4?.title.length.toFixed();
  const pageEntity4 = await db.byEntity4Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity4.items.map(({ note }) => note?.length);
  (await db.byEntity4Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity4({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity5({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity5 = await db.getEntity5({ tenantId: 't', id: 'i' });
  oneEntity5?.title.length.toFixed();
  const pageEntity5 = await db.byEntity5Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity5.items.map(({ note }) => note?.length);
  (await db.byEntity5Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity5({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity6({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity6 = await db.getEntity6({ tenantId: 't', id: 'i' });
  oneEntity6?.title.length.toFixed();
  const pageEntity6 = await db.byEntity6Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity6.items.map(({ note }) => note?.length);
  (await db.byEntity6Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity6({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity7({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity7 = await db.getEntity7({ tenantId: 't', id: 'i' });
  oneEntity7?.title.length.toFixed();
  const pageEntity7 = await db.byEntity7Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity7.items.map(({ note }) => note?.length);
  (await db.byEntity7Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity7({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity8({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity8 = await db.getEntity8({ tenantId: 't', id: 'i' });
  oneEntity8?.title.length.toFixed();
  const pageEntity8 = await db.byEntity8Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity8.items.map(({ note }) => note?.length);
  (await db.byEntity8Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity8({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity9({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity9 = await db.getEntity9({ tenantId: 't', id: 'i' });
  oneEntity9?.title.length.toFixed();
  const pageEntity9 = await db.byEntity9Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity9.items.map(({ note }) => note?.length);
  (await db.byEntity9Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity9({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity10({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity10 = await db.getEntity10({ tenantId: 't', id: 'i' });
  oneEntity10?.title.length.toFixed();
  const pageEntity10 = await db.byEntity10Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity10.items.map(({ note }) => note?.length);
  (await db.byEntity10Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity10({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity11({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity11 = await db.getEntity11({ tenantId: 't', id: 'i' });
  oneEntity11?.title.length.toFixed();
  const pageEntity11 = await db.byEntity11Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity11.items.map(({ note }) => note?.length);
  (await db.byEntity11Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity11({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity12({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity12 = await db.getEntity12({ tenantId: 't', id: 'i' });
  oneEntity12?.title.length.toFixed();
  const pageEntity12 = await db.byEntity12Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity12.items.map(({ note }) => note?.length);
  (await db.byEntity12Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity12({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity13({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity13 = await db.getEntity13({ tenantId: 't', id: 'i' });
  oneEntity13?.title.length.toFixed();
  const pageEntity13 = await db.byEntity13Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity13.items.map(({ note }) => note?.length);
  (await db.byEntity13Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity13({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity14({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity14 = await db.getEntity14({ tenantId: 't', id: 'i' });
  oneEntity14?.title.length.toFixed();
  const pageEntity14 = await db.byEntity14Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity14.items.map(({ note }) => note?.length);
  (await db.byEntity14Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity14({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity15({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity15 = await db.getEntity15({ tenantId: 't', id: 'i' });
  oneEntity15?.title.length.toFixed();
  const pageEntity15 = await db.byEntity15Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity15.items.map(({ note }) => note?.length);
  (await db.byEntity15Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity15({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity16({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity16 = await db.getEntity16({ tenantId: 't', id: 'i' });
  oneEntity16?.title.length.toFixed();
  const pageEntity16 = await db.byEntity16Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity16.items.map(({ note }) => note?.length);
  (await db.byEntity16Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity16({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity17({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity17 = await db.getEntity17({ tenantId: 't', id: 'i' });
  oneEntity17?.title.length.toFixed();
  const pageEntity17 = await db.byEntity17Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity17.items.map(({ note }) => note?.length);
  (await db.byEntity17Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity17({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity18({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity18 = await db.getEntity18({ tenantId: 't', id: 'i' });
  oneEntity18?.title.length.toFixed();
  const pageEntity18 = await db.byEntity18Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity18.items.map(({ note }) => note?.length);
  (await db.byEntity18Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity18({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
  await db.createEntity19({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });
  const oneEntity19 = await db.getEntity19({ tenantId: 't', id: 'i' });
  oneEntity19?.title.length.toFixed();
  const pageEntity19 = await db.byEntity19Owner({ ownerId: 'o', createdAt: { from: '2020' } });
  pageEntity19.items.map(({ note }) => note?.length);
  (await db.byEntity19Status({ tenantId: 't', status: 'done' })).items.length.toFixed();
  (await db.updateEntity19({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();
}