import type { ReactNode } from 'react';
import type { Entity } from '../grid/entities.ts';

export function Badge({ entity }: { readonly entity: Entity }): ReactNode {
  return (
    <span className={`badge ${entityClass(entity)}${entity.isRinged ? ' ringed' : ''}`} title={entity.name}>
      {entity.badge}
    </span>
  );
}

/** Gives an element and its contents the colour of an entity. */
export function entityClass(entity: Entity | undefined): string {
  return entity === undefined ? 'no-entity' : `entity-${entity.color}`;
}
