package dev.pvcpopulators.imagetoqcow2layers.layer;

/// Counts over a layer's tar.
///
/// @param entries applied entries, without whiteouts
/// @param whiteouts removed names and removed contents of directories
/// @param ignored entries whose name begins with `.wh..wh.`, which AUFS used for its own files
/// @param droppedAttributes extended attributes that ext4 cannot hold: names outside its
///   namespaces, `user.` on entries other than files and directories, and access control lists in
///   text form. Tools that unpack images drop them as well
public record LayerReport(long entries, long whiteouts, long ignored, long droppedAttributes) {}
