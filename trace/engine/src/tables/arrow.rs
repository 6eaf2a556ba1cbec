//! An Apache Arrow IPC file of one record batch of one row: each column of a trace is a list in that row, because the
//! columns have different lengths. A column's numbers have the same layout in the file as in memory, aligned to 64
//! bytes.
//!
//! Arrow's own writer would copy the whole batch into memory first, and its reader trusts its input; so the messages
//! are written and read here with Arrow's flatbuffers, which are verified.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::{
    Block, Buffer, FieldNode, FooterBuilder, KeyValueBuilder, MessageBuilder, MessageHeader, MetadataVersion,
    RecordBatchBuilder,
};
use arrow_schema::{DataType, Field, Schema};
use flatbuffers::{FlatBufferBuilder, WIPOffset};

/// The file's first and last bytes.
const MAGIC: &[u8; 6] = b"ARROW1";
/// Bytes before each message.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Alignment of numbers and messages.
const ALIGNMENT: usize = 64;
/// Buffers of a column: validity and offsets of the list, validity and values of its items.
const BUFFERS: usize = 4;
/// Key of our own text in the footer.
const KEY: &str = "syclscope";

pub(super) struct Written<'a> {
    pub(super) name: String,
    pub(super) data_type: DataType,
    pub(super) bytes: &'a [u8],
}

impl Written<'_> {
    fn rows(&self) -> usize {
        self.bytes.len() / self.data_type.primitive_width().unwrap_or(1)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArrowColumn {
    pub(super) name: String,
    pub(super) data_type: DataType,
    /// Range of its numbers in the file.
    pub(super) bytes: Range<usize>,
}

pub(super) fn write(columns: &[Written<'_>], about: &str, out: &mut impl io::Write) -> io::Result<()> {
    let schema = schema(columns);
    let mut out = Counting { out, written: 0 };
    out.put(MAGIC)?;
    out.pad(8)?;
    out.message(&schema_message(&schema))?;
    let start = out.written;
    let body_bytes = columns.iter().map(|column| padded(16) + padded(column.bytes.len())).sum::<usize>();
    out.message(&batch_message(columns, body_bytes))?;
    let metadata_bytes = out.written - start;
    for column in columns {
        out.put(&0_i64.to_le_bytes())?;
        out.put(&(column.rows() as i64).to_le_bytes())?;
        out.pad(ALIGNMENT)?;
        out.put(column.bytes)?;
        out.pad(ALIGNMENT)?;
    }
    out.put(&CONTINUATION)?;
    out.put(&[0; 4])?;
    let footer = footer(&schema, about, Block::new(start as i64, metadata_bytes as i32, body_bytes as i64));
    out.put(&footer)?;
    out.put(&(footer.len() as u32).to_le_bytes())?;
    out.put(MAGIC)
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

fn schema(columns: &[Written<'_>]) -> Schema {
    let field = |column: &Written<'_>| {
        let item = Field::new("item", column.data_type.clone(), false);
        Field::new(&column.name, DataType::LargeList(Arc::new(item)), false)
    };
    Schema::new(columns.iter().map(field).collect::<Vec<_>>())
}

fn schema_message(schema: &Schema) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let schema = IpcSchemaEncoder::new().schema_to_fb_offset(&mut fbb, schema);
    message(fbb, MessageHeader::Schema, schema.as_union_value(), 0)
}

fn batch_message(columns: &[Written<'_>], body_bytes: usize) -> Vec<u8> {
    let mut nodes = Vec::with_capacity(columns.len() * 2);
    let mut buffers = Vec::with_capacity(columns.len() * BUFFERS);
    let mut at = 0;
    for column in columns {
        nodes.push(FieldNode::new(1, 0));
        nodes.push(FieldNode::new(column.rows() as i64, 0));
        for length in [0, 16, 0, column.bytes.len()] {
            buffers.push(Buffer::new(at as i64, length as i64));
            at += padded(length);
        }
    }
    let mut fbb = FlatBufferBuilder::new();
    let (nodes, buffers) = (fbb.create_vector(&nodes), fbb.create_vector(&buffers));
    let mut batch = RecordBatchBuilder::new(&mut fbb);
    batch.add_length(1);
    batch.add_nodes(nodes);
    batch.add_buffers(buffers);
    let batch = batch.finish();
    message(fbb, MessageHeader::RecordBatch, batch.as_union_value(), body_bytes)
}

fn message(
    mut fbb: FlatBufferBuilder<'_>,
    kind: MessageHeader,
    header: WIPOffset<flatbuffers::UnionWIPOffset>,
    body_bytes: usize,
) -> Vec<u8> {
    let mut message = MessageBuilder::new(&mut fbb);
    message.add_version(MetadataVersion::V5);
    message.add_header_type(kind);
    message.add_header(header);
    message.add_bodyLength(body_bytes as i64);
    let message = message.finish();
    fbb.finish(message, None);
    fbb.finished_data().to_vec()
}

fn footer(schema: &Schema, about: &str, block: Block) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let (key, value) = (fbb.create_string(KEY), fbb.create_string(about));
    let mut pair = KeyValueBuilder::new(&mut fbb);
    pair.add_key(key);
    pair.add_value(value);
    let pair = pair.finish();
    let pairs = fbb.create_vector(&[pair]);
    let schema = IpcSchemaEncoder::new().schema_to_fb_offset(&mut fbb, schema);
    let blocks = fbb.create_vector(&[block]);
    let mut footer = FooterBuilder::new(&mut fbb);
    footer.add_version(MetadataVersion::V5);
    footer.add_schema(schema);
    footer.add_recordBatches(blocks);
    footer.add_custom_metadata(pairs);
    let footer = footer.finish();
    fbb.finish(footer, None);
    fbb.finished_data().to_vec()
}

struct Counting<'a, W> {
    out: &'a mut W,
    written: usize,
}

impl<W: io::Write> Counting<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len();
        self.out.write_all(bytes)
    }

    fn pad(&mut self, alignment: usize) -> io::Result<()> {
        let missing = self.written.next_multiple_of(alignment) - self.written;
        self.put(&[0; ALIGNMENT][..missing])
    }

    /// Writes a message, padded so that the next one is aligned.
    fn message(&mut self, message: &[u8]) -> io::Result<()> {
        let end = padded(self.written + 8 + message.len());
        let length = end - self.written - 8;
        self.put(&CONTINUATION)?;
        self.put(&(length as u32).to_le_bytes())?;
        self.put(message)?;
        self.pad(ALIGNMENT)
    }
}

/// Returns the columns of a file and its metadata text; `None` if syclscope did not write it or it is damaged.
pub(super) fn read(file: &[u8]) -> Option<(Vec<ArrowColumn>, String)> {
    let rest = file.strip_suffix(MAGIC)?;
    let (rest, length) = rest.split_last_chunk::<4>()?;
    let footer = rest.get(rest.len().checked_sub(u32::from_le_bytes(*length) as usize)?..)?;
    let footer = arrow_ipc::root_as_footer(footer).ok()?;
    let pairs = footer.custom_metadata()?;
    let about = pairs.iter().find(|pair| pair.key() == Some(KEY))?.value()?.to_owned();
    let schema = arrow_ipc::convert::try_fb_to_schema(footer.schema()?).ok()?;
    let blocks = footer.recordBatches().filter(|blocks| blocks.len() == 1)?;
    let block = blocks.get(0);
    let start = usize::try_from(block.offset()).ok()?;
    let body = start.checked_add(usize::try_from(block.metaDataLength()).ok()?)?;
    let body_bytes = usize::try_from(block.bodyLength()).ok()?;
    let message = arrow_ipc::root_as_message(file.get(start.checked_add(8)?..body)?).ok()?;
    let batch = message.header_as_record_batch()?;
    let buffers = batch.buffers().filter(|buffers| buffers.len() == schema.fields().len() * BUFFERS)?;
    file.get(body..body.checked_add(body_bytes)?)?;
    let mut found = Vec::new();
    for (number, field) in schema.fields().iter().enumerate() {
        let DataType::LargeList(item) = field.data_type() else { return None };
        let buffer = buffers.get(number * BUFFERS + BUFFERS - 1);
        let (offset, length) =
            (usize::try_from(buffer.offset()).ok()?, usize::try_from(buffer.length()).ok()?);
        let from = body.checked_add(offset)?;
        let bytes = from..from.checked_add(length)?;
        if offset.checked_add(length)? > body_bytes {
            return None;
        }
        found.push(ArrowColumn { name: field.name().clone(), data_type: item.data_type().clone(), bytes });
    }
    Some((found, about))
}
