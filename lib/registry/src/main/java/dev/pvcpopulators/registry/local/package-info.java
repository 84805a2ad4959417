/// Images in a local file system: OCI image layouts, tars of OCI image layouts, and archives of
/// `docker save`.
///
/// If a JSON document of an image names a path, this path is never opened in the file system. In a
/// layout directory, only `oci-layout`, `index.json` and the blobs with requested digests are
/// opened. An archive is one file that is opened once.
///
/// Specifications: OCI image-spec 1.1 (image-layout.md), Docker image specification 1.2 ("Combined
/// Image JSON + Filesystem Changeset Format"), POSIX.1-2017 (pax), GNU tar manual ("Basic Tar
/// Format").
@NullMarked
package dev.pvcpopulators.registry.local;

import org.jspecify.annotations.NullMarked;
