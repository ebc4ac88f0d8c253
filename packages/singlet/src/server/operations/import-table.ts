import type { ImportTableRequest, ImportTableResult } from '../../engine/index.ts';
import { required, result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import {
  clientToken,
  importTableDescription,
  inputCompressionType,
  inputFormat,
  inputFormatOptions,
  s3BucketSource,
  tableCreationParameters,
} from './transfer-members.ts';

/** @see DynamoDB API Reference, ImportTable */
export const importTable: Operation = defineOperation('ImportTable', {
  input: structure<ImportTableRequest>('ImportTableInput', {
    clientToken: required(clientToken),
    s3BucketSource: required(s3BucketSource),
    inputFormat: required(inputFormat),
    inputFormatOptions,
    inputCompressionType,
    tableCreationParameters: required(tableCreationParameters),
  }),
  output: result<ImportTableResult>({ importTableDescription }),
});
