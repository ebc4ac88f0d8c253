import type { SearchResultItem, SearchVectorsRequest, SearchVectorsResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, namePattern, unechoed, valueAtLeast } from '../shapes/constraint.ts';
import { attributeValue, double, integer, item, list, required, result, string, structure } from '../shapes/shape.ts';
import { vectorCapacity } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  expressionAttributeNamesParameter,
  expressionAttributeValuesParameter,
  expressionParameter,
  returnConsumedCapacityParameter,
  tableNameParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, SearchVectors */
export const searchVectors: Operation = defineOperation('SearchVectors', {
  input: structure<SearchVectorsRequest>(
    'SearchVectorsInput',
    {
      tableName: tableNameParameter,
      indexName: required(string(unechoed(namePattern), unechoed(lengthAtLeast(3)), unechoed(lengthAtMost(255)))),
      searchVector: required(list(attributeValue, unechoed(lengthAtLeast(1)))),
      topK: required(integer(unechoed(valueAtLeast(1)))),
      searchConditionExpression: expressionParameter,
      projectionExpression: expressionParameter,
      expressionAttributeNames: expressionAttributeNamesParameter,
      expressionAttributeValues: expressionAttributeValuesParameter,
      returnConsumedCapacity: returnConsumedCapacityParameter,
    },
    { isStrict: true },
  ),
  output: result<SearchVectorsResult>({
    searchResults: list(result<SearchResultItem>({ item, score: double })),
    consumedCapacity: vectorCapacity,
  }),
});
