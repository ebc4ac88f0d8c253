import { add, entity, model, ref } from '@singlet/model';
import { z } from 'zod';

/** The five steps of a process order, in order. Their tokens are in keys, where the order is alphabetical. */
export const STEPS = ['materials', 'mixing', 'print', 'bake', 'qc'] as const;

export type Step = (typeof STEPS)[number];

/** The number of a step, from 1. */
export function stepNumber(step: Step): number {
  return 1 + STEPS.indexOf(step);
}

// A step names its materials, and a recipe list its recipes, as the kind followed by the id, always in lower case.
const materialReference = z.string().startsWith('materialid:');
const recipeReference = z.string().startsWith('recipe:').optional();

export const materialReferenceTo = (materialId: string): string => `materialid:${materialId}`;
export const materialIn = (reference: string): string => reference.slice('materialid:'.length);
export const recipeReferenceTo = (recipeId: string): string => `recipe:${recipeId}`;
export const recipeIn = (reference: string): string => reference.slice('recipe:'.length);

const id = z.string().regex(/^[^:]+$/, 'ids have no colon');
const epochSeconds = z.int().max(9_999_999_999);

/** What was measured of a material or a mixture. */
const measured = { massG: z.number(), volumeCm3: z.number(), densityGcm3: z.number() };

const theStep = { by: ['orderId', 'step', 'stepNo'] } as const;
/** The previous step must exist. */
const stepBefore = { checks: 'ProcessStep', ...theStep } as const;
/** The step itself must not exist yet. */
const stepIsOpen = {
  checks: 'ProcessStep',
  ...theStep,
  given: { stepNo: { exists: false } },
  mustExist: false,
} as const;
const thisStep = { creates: 'ProcessStep' } as const;

/** Process orders of a manufacturer that prints metal parts: an adjacency list with generic keys. */
export const additiveManufacturing = model('additive-manufacturing')
  // 1. What there is, and how it is related
  .entities({
    ProcessOrder: entity(
      { orderId: id, status: z.string(), createdAt: z.iso.datetime() },
      { expects: { items: 100_000, bytes: 150 } },
    ),
    /** Attributes differ from step to step. */
    ProcessStep: entity(
      {
        orderId: id,
        step: z.enum(STEPS),
        stepNo: z.int().min(1).max(STEPS.length),
        materialIds: z.array(materialReference).optional(),
        massG: measured.massG.optional(),
        volumeCm3: measured.volumeCm3.optional(),
        densityGcm3: measured.densityGcm3.optional(),
        bedTemp: z.number().optional(),
        materialTemp: z.number().optional(),
        adhesionSurface: z.string().optional(),
        ovenTemp: z.number().optional(),
        durationMin: z.number().optional(),
        methods: z.set(z.enum(['microscopy', 'measurement'])).optional(),
        passed: z.boolean().optional(),
      },
      { expects: { items: 500_000, bytes: 250 } },
    ),
    Part: entity(
      { orderId: id, partId: id, porosityPct: z.number().optional(), massG: z.number().optional() },
      { unique: ['partId'], expects: { items: 2_000_000, bytes: 200 } },
    ),
    MaterialUsage: entity(
      { materialId: id, orderId: id, ...measured, timestamp: epochSeconds },
      { expects: { items: 300_000, bytes: 250 } },
    ),
    RecipeList: entity(
      {
        orderId: id,
        materials: recipeReference,
        mixing: recipeReference,
        print: recipeReference,
        bake: recipeReference,
        qc: recipeReference,
      },
      { expects: { items: 100_000, bytes: 250 } },
    ),
    /** Sums over all usages of a material, kept by a consumer of the stream. */
    MaterialStats: entity(
      { materialId: id, usageCount: z.number(), densitySum: z.number(), massSum: z.number(), volumeSum: z.number() },
      { expects: { items: 500, bytes: 200 } },
    ),
    /** Records that a change has been counted, for longer than the stream may deliver it again. */
    CountedEvent: entity(
      { eventId: z.string(), expiresAt: epochSeconds },
      { expires: 'expiresAt', expects: { items: 1000, bytes: 150 } },
    ),
  })
  .relationships([
    ['ProcessOrder', '1:N', 'ProcessStep'],
    ['ProcessOrder', '1:N', 'Part'],
    ['ProcessOrder', '1:1', 'RecipeList'],
    ['ProcessOrder', '1:N', 'MaterialUsage'],
    ['MaterialStats', '1:N', 'MaterialUsage'],
  ])

  // 2. What the application needs
  .patterns(
    {
      steps: {
        id: 'AM-1',
        actor: 'shop floor',
        reads: ['ProcessStep'],
        by: ['orderId'],
        rate: 20,
        volume: { typical: 5, most: 5 },
        note: 'by name in the key; the application orders them by stepNo',
      },
      usages: {
        id: 'AM-2',
        actor: 'engineer',
        reads: ['MaterialUsage'],
        by: ['materialId'],
        attributes: ['massG', 'volumeCm3', 'densityGcm3'],
        rate: 1,
        volume: { typical: 500, most: 50_000 },
      },
      placesOfPart: {
        id: 'AM-3',
        actor: 'quality control',
        reads: ['Part'],
        by: ['partId'],
        limit: 1,
        rate: 10,
        volume: { typical: 1, most: 1 },
      },
      order: {
        id: 'AM-4',
        actor: 'shop floor',
        reads: { parts: ['Part'], steps: ['ProcessStep'], recipes: 'RecipeList', header: 'ProcessOrder' },
        by: ['orderId'],
        unproven: 'an order is read to its end, and its header comes last',
        rate: 20,
        volume: { typical: 27, most: 500 },
      },
      orderFromHeader: {
        id: 'AM-4',
        actor: 'shop floor',
        reads: { parts: ['Part'], steps: ['ProcessStep'], recipes: 'RecipeList', header: 'ProcessOrder' },
        by: ['orderId'],
        order: 'partId desc',
        rate: 20,
        volume: { typical: 27, most: 500 },
        note: 'the header first',
      },
      partsOf: {
        id: 'AM-5',
        actor: 'shop floor',
        reads: ['Part'],
        by: ['orderId'],
        rate: 10,
        volume: { typical: 20, most: 500 },
      },
      ordersUsing: {
        id: 'AM-6',
        actor: 'engineer',
        reads: ['MaterialUsage'],
        by: ['materialId'],
        order: 'orderId asc',
        attributes: ['orderId', 'timestamp'],
        rate: 1,
        volume: { typical: 500, most: 50_000 },
      },
      usagesOfOrder: {
        id: 'AM-7',
        actor: 'shop floor',
        reads: 'MaterialUsage',
        by: ['materialId', 'orderId'],
        each: true,
        rate: 5,
        volume: { typical: 3, most: 97 },
      },
      recipes: { id: 'AM-8', actor: 'shop floor', reads: 'RecipeList', by: ['orderId'], rate: 10 },
      step: { id: 'AM-9', actor: 'shop floor', reads: 'ProcessStep', ...theStep, rate: 20 },
      usagesBetween: {
        id: 'AM-10',
        actor: 'engineer',
        reads: ['MaterialUsage'],
        by: ['materialId'],
        takes: { from: epochSeconds, to: epochSeconds },
        where: { timestamp: { atLeast: ref('from'), atMost: ref('to') } },
        rate: 0.1,
        volume: { typical: 500, most: 50_000 },
        note: 'ordered by order id; reads the whole collection',
        accepts: { 'filter-selects': 'rare, and a material has few enough usages to read' },
      },
      stats: { id: 'AM-12', actor: 'engineer', reads: 'MaterialStats', by: ['materialId'], rate: 5 },

      gatherMaterials: {
        id: 'AM-W1',
        actor: 'planner',
        transacts: {
          step: thisStep,
          recipes: { creates: 'RecipeList' },
          usages: { creates: ['MaterialUsage'] },
          header: { creates: 'ProcessOrder' },
        },
        rate: 0.1,
        volume: { typical: 3, most: 97 },
      },
      recordMixing: { id: 'AM-W2', actor: 'shop floor', transacts: { before: stepBefore, step: thisStep }, rate: 0.1 },
      recordPrinting: {
        id: 'AM-W3',
        actor: 'shop floor',
        transacts: { before: stepBefore, step: thisStep, parts: { creates: ['Part'] } },
        rate: 0.1,
        volume: { typical: 20, most: 49 },
      },
      addParts: {
        id: 'AM-W3',
        actor: 'shop floor',
        transacts: { before: stepBefore, step: stepIsOpen, parts: { creates: ['Part'] } },
        rate: 0.1,
        note: 'of an order larger than a transaction, before the step itself',
      },
      recordBaking: { id: 'AM-W4', actor: 'shop floor', transacts: { before: stepBefore, step: thisStep }, rate: 0.1 },
      recordQuality: {
        id: 'AM-W5',
        actor: 'quality control',
        transacts: { before: stepBefore, step: thisStep },
        rate: 0.1,
      },
      qualityIsOpen: {
        id: 'AM-W5',
        actor: 'quality control',
        transacts: { before: stepBefore, step: stepIsOpen },
        rate: 0.1,
        note: 'of an order larger than a transaction, with its parts, before the step itself',
      },
      measurePart: {
        id: 'AM-W5',
        actor: 'quality control',
        updates: 'Part',
        by: ['orderId', 'partId'],
        sets: ['porosityPct', 'massG'],
        rate: 2,
        note: 'in one transaction with the step',
      },
      countUsage: {
        id: 'AM-W6',
        actor: 'consumer of the stream',
        transacts: {
          event: { creates: 'CountedEvent', expired: true },
          stats: {
            updates: 'MaterialStats',
            by: ['materialId'],
            orCreates: true,
            takes: {
              usages: z.int().min(-1_000_000).max(1_000_000),
              density: z.number(),
              mass: z.number(),
              volume: z.number(),
            },
            changes: {
              usageCount: add(ref('usages')),
              densitySum: add(ref('density')),
              massSum: add(ref('mass')),
              volumeSum: add(ref('volume')),
            },
          },
        },
        rate: 0.3,
      },
    },
    {
      materialsOfOrder: { id: 'AM-7', actor: 'shop floor', takes: ['step', 'usagesOfOrder'] },
      orderOfPart: { id: 'AM-11', actor: 'quality control', takes: ['placesOfPart', 'order'] },
      recordQualityOfParts: {
        id: 'AM-W5',
        actor: 'quality control',
        takes: ['recordQuality', 'measurePart', 'qualityIsOpen'],
        note: 'one transaction up to 98 parts',
      },
      exportForAnalysts: {
        id: 'AM-W7',
        actor: 'data engineer',
        takes: [],
        note: 'an export of the table as it was at one moment; no request of the application',
      },
    },
  )

  // 3. Keys and indexes
  .tables({
    'additive-manufacturing': {
      key: ['PK', 'SK'],
      indexes: { GSI_1: ['GSI_1_PK'] },
      type: 'type',
      separator: ':',
      stream: 'NEW_AND_OLD_IMAGES',
    },
  })
  .keys(
    {
      ProcessOrder: { 'additive-manufacturing': ['processorder:{orderId}', 'root'] },
      ProcessStep: { 'additive-manufacturing': ['processorder:{orderId}', 'processstep:{step}:{stepNo:01}'] },
      Part: {
        'additive-manufacturing': ['processorder:{orderId}', 'part:{partId}'],
        GSI_1: ['part:{partId}'],
      },
      MaterialUsage: { 'additive-manufacturing': ['materialid:{materialId}', 'processorder:{orderId}'] },
      RecipeList: { 'additive-manufacturing': ['processorder:{orderId}', 'recipes'] },
      MaterialStats: { 'additive-manufacturing': ['materialid:{materialId}', 'stats'] },
      CountedEvent: { 'additive-manufacturing': ['event:{eventId:rest}', 'event:{eventId:rest}'] },
    },
    {
      Part: { unique: { partId: { key: ['part:{partId}', 'part:{partId}'], type: 'PartGuard' } } },
      RecipeList: {
        stored: {
          materials: 'processstep:materials',
          mixing: 'processstep:mixing',
          print: 'processstep:print',
          bake: 'processstep:bake',
          qc: 'processstep:qc',
        },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    steps: { query: 'additive-manufacturing' },
    usages: { query: 'additive-manufacturing' },
    placesOfPart: { query: 'GSI_1' },
    order: { query: 'additive-manufacturing' },
    orderFromHeader: { query: 'additive-manufacturing' },
    partsOf: { query: 'additive-manufacturing' },
    ordersUsing: { query: 'additive-manufacturing' },
    usagesOfOrder: 'BatchGetItem',
    recipes: 'GetItem',
    step: 'GetItem',
    usagesBetween: { query: 'additive-manufacturing' },
    stats: 'GetItem',
    gatherMaterials: 'TransactWriteItems',
    recordMixing: 'TransactWriteItems',
    recordPrinting: 'TransactWriteItems',
    addParts: 'TransactWriteItems',
    recordBaking: 'TransactWriteItems',
    recordQuality: 'TransactWriteItems',
    qualityIsOpen: 'TransactWriteItems',
    measurePart: 'UpdateItem',
    countUsage: 'TransactWriteItems',
  });
