package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.Inode;

/// A function from an inode to its changed version.
///
/// @param inode the new version
record InodeChange(Inode inode) {
  static InodeChange of(Inode inode) {
    return new InodeChange(inode);
  }

  InodeChange links(int links) {
    return with(inode.size(), links, inode.sectors(), inode.block());
  }

  InodeChange size(long size) {
    return with(size, inode.links(), inode.sectors(), inode.block());
  }

  InodeChange sectors(long sectors) {
    return with(inode.size(), inode.links(), sectors, inode.block());
  }

  InodeChange block(Bytes block) {
    return with(inode.size(), inode.links(), inode.sectors(), block);
  }

  private InodeChange with(long size, int links, long sectors, Bytes block) {
    return new InodeChange(
        new Inode(
            inode.mode(),
            inode.uid(),
            inode.gid(),
            size,
            inode.accessed(),
            inode.changed(),
            inode.modified(),
            inode.created(),
            links,
            sectors,
            inode.flags(),
            block,
            inode.xattrBlock(),
            inode.inlineXattrs()));
  }
}
