/// Finds the disk in an image. The disk is either a file in the file system of the image's layers,
/// or a complete layer of an artifact.
///
/// Specifications: OCI image-spec 1.1, layer.md (whiteouts, opaque directories) and manifest.md
/// (artifacts); KubeVirt's containerDisk and OCI export; ORAS's annotations.
@NullMarked
package dev.pvcpopulators.registry.disk;

import org.jspecify.annotations.NullMarked;
