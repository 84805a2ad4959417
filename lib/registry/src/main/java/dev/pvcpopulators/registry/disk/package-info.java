/// Finds the disk in an image: in the file system of its layers, or in an artifact's layer that is
/// the disk itself.
///
/// Specifications: OCI image-spec 1.1, layer.md (whiteouts, opaque directories) and manifest.md
/// (artifacts); KubeVirt's containerDisk and OCI export; ORAS's annotations.
@NullMarked
package dev.pvcpopulators.registry.disk;

import org.jspecify.annotations.NullMarked;
