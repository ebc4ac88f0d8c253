import type { RawItem } from '../testing/raw-table.ts';

// A factory in stored form, written by hand: one printed order, and what two orders used of two materials.

const ORDER_1 = 'processorder:1';

export const PART_1 = {
  PK: ORDER_1,
  SK: 'part:1',
  type: 'Part',
  orderId: '1',
  partId: '1',
  porosityPct: 20,
  massG: 122,
  GSI_1_PK: 'part:1',
} satisfies RawItem;

const MATERIALS = {
  ...stepItem('materials', 1),
  materialIds: ['materialid:1', 'materialid:2'],
} satisfies RawItem;

const MIXING = { ...stepItem('mixing', 2), massG: 130, volumeCm3: 26, densityGcm3: 5 } satisfies RawItem;

const PRINT = {
  ...stepItem('print', 3),
  bedTemp: 120,
  materialTemp: 400,
  adhesionSurface: 'tape',
} satisfies RawItem;

const RECIPES = {
  PK: ORDER_1,
  SK: 'recipes',
  type: 'RecipeList',
  orderId: '1',
  'processstep:materials': 'recipe:1',
} satisfies RawItem;

export const FIXTURE: readonly RawItem[] = [
  PART_1,
  MATERIALS,
  MIXING,
  PRINT,
  RECIPES,
  usageItem('1', '1', [45, 9, 5, 1_575_423_000]),
  usageItem('1', '2', [66, 13.2, 5, 1_575_477_000]),
  usageItem('2', '1', [85, 17, 5, 1_575_423_000]),
  usageItem('2', '2', [64, 12.8, 5, 1_575_477_000]),
];

/** Steps 4 and 5, which the sample does not have. */
export const BAKE = { ...stepItem('bake', 4), ovenTemp: 1300, durationMin: 90 } satisfies RawItem;
export const QC = { ...stepItem('qc', 5), passed: true } satisfies RawItem;
/** The header, which the sample does not have. */
export const HEADER = {
  PK: ORDER_1,
  SK: 'root',
  type: 'ProcessOrder',
  orderId: '1',
  status: 'STARTED',
  createdAt: '2019-12-04T01:30:00Z',
} satisfies RawItem;

function stepItem(step: string, stepNo: number): RawItem {
  return { PK: ORDER_1, SK: `processstep:${step}:${stepNo}`, type: 'ProcessStep', orderId: '1', step, stepNo };
}

export function usageItem(
  materialId: string,
  orderId: string,
  [massG, volumeCm3, densityGcm3, timestamp]: readonly [number, number, number, number],
): RawItem {
  return {
    PK: `materialid:${materialId}`,
    SK: `processorder:${orderId}`,
    type: 'MaterialUsage',
    materialId,
    orderId,
    massG,
    volumeCm3,
    densityGcm3,
    timestamp,
  };
}
