//! Images, laid out in rows without gaps, and samplers.

use std::sync::Arc;

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{fill, read, write};
use crate::command::Rows;
use crate::layout::{ImageDesc, ImageProperties, Region};
use crate::objects::{self, Handle};

pub(crate) struct Image {
    /// Bytes of an element.
    element_bytes: usize,
    sides: [usize; 3],
    memory: Vec<u8>,
}

/// A part of an image, in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) region: Region,
}

/// A sampler, which no command uses.
struct Sampler(#[expect(dead_code, reason = "objects must have an address of their own")] u8);

/// Bytes of an element by `ze_image_format_layout_t`, from `8` on; video layouts are not supported.
const ELEMENT_BYTES: [usize; 14] = [1, 2, 4, 2, 4, 4, 8, 8, 16, 4, 4, 2, 2, 2];

impl Image {
    fn new(desc: &ImageDesc) -> Result<Self, Code> {
        let element_bytes = *ELEMENT_BYTES.get(desc.layout as usize).ok_or(Code::UNSUPPORTED_FEATURE)?;
        let slices = desc.depth.max(1) as usize * desc.levels.max(1) as usize;
        let sides = [desc.width.max(1) as usize, desc.height.max(1) as usize, slices];
        let memory = vec![0; element_bytes * sides.iter().product::<usize>()];
        Ok(Self { element_bytes, sides, memory })
    }

    /// Returns the whole image as a part.
    pub(crate) fn whole(&self) -> Part {
        Part { region: Region { origin: [0; 3], size: self.sides.map(|side| side as u32) } }
    }

    /// Returns the layout of a part in bytes.
    pub(crate) fn rows(&self, part: &Part) -> Rows {
        let mut region = part.region;
        region.origin[0] *= self.element_bytes as u32;
        region.size[0] *= self.element_bytes as u32;
        let row_bytes = self.sides[0] * self.element_bytes;
        // Engines write through this pointer. The program orders these writes.
        Rows {
            base: self.memory.as_ptr() as usize,
            region,
            row_bytes,
            slice_bytes: row_bytes * self.sides[1],
        }
    }
}

calls! {
    fn properties "zeImageGetProperties"
        (_device: Handle, _desc: *const ImageDesc, properties: *mut ImageProperties) {
        fill(properties, |place| place.filters = 3)?;
    }

    fn create "zeImageCreate"
        (_context: Handle, _device: Handle, desc: *const ImageDesc, image: *mut Handle) {
        write(image, objects::give(Arc::new(Image::new(&read(desc)?)?)))?;
    }

    fn destroy "zeImageDestroy" (image: Handle) {
        objects::take::<Image>(image)?;
    }

    fn create_sampler "zeSamplerCreate"
        (_context: Handle, _device: Handle, _desc: *const u8, sampler: *mut Handle) {
        write(sampler, objects::give(Arc::new(Sampler(0))))?;
    }

    fn destroy_sampler "zeSamplerDestroy" (sampler: Handle) {
        objects::take::<Sampler>(sampler)?;
    }

    fn make_resident "zeContextMakeImageResident" (_context: Handle, _device: Handle, image: Handle) {
        objects::get::<Image>(image)?;
    }
}
